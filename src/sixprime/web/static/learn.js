// A quiz with spaced repetition, and drills against the clock.
import { $, ask, element, failed, falling, fill, keepFocus, receive, say, signed, turns } from "/static/common.js";
import { Board } from "/static/board.js";
import { many, moment, t, term } from "/static/words.js";

const START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10";
/**
 * @import { Asked, Card, DrillRecord, Drilled, Entered, QuizTold } from "messages"
 * @import { Step, View } from "/static/board.js"
 * @typedef {Asked.DrillAsked & { asked?: Drilled }} Exercise
 */
/** The question that waits for its answer. @type {Card | null} */
let card = null;
/** @type {Exercise | null} */
let exercise = null;
/** @type {Entered | null} */
let entry = null;
/** @type {Record<string, string>} */
let plays = {};
/** What the board shows; null before the first. @type {Pick<View, "board"> & Partial<View>} */
let shown = /** @type {any} */ (null);
let begun = 0, fresh = 10;
const inTurn = turns();
/** Whether a question is asked for: it is asked for once, however often it is clicked. */
let coming = false;
/** @param {() => unknown} work */
function oneMore(work) {
  if (coming) return;
  coming = true;
  return inTurn(work).finally(() => (coming = false));
}
const board = new Board($("board"), { move: (start, end) => step({ do: "move", start, end }, [[shown.board.mover, start, end]]), dice: () => (entry?.done ? answer(entry.play) : step({ do: "swap" })) });
/** @param {Step[]} ways */
function draw(ways = []) {
  board.show({ bottom: shown.board.mover, ...shown, entry, plays: entry?.moves.length ? {} : plays }, ways);
}
/** @param {Partial<Asked.EntryAsked>} more @param {Step[]} ways */
function step(more, ways = []) {
  return inTurn(async () => {
    if (!entry) return;
    entry = await ask("/positions/entry", { dice: entry.dice, moves: entry.moves, board: shown.board, ...more });
    draw(ways);
    buttons();
  });
}
/** @param {string} prompt @param {string[]} choices @param {string} typed what could be typed, "" for nothing */
function asking(prompt, choices, typed) {
  $("prompt").textContent = prompt;
  $("answer").replaceChildren();
  $("typed").value = "";
  keepFocus(() => ($("type").hidden = !typed), () => $("prompt"));
  $("typed").placeholder = typed || "";
  buttons(choices);
  // On a phone it is begun far below the board.
  $("title").scrollIntoView({ block: "nearest" });
  begun = performance.now();
  if (typed && matchMedia("(hover: hover)").matches) $("typed").focus();
  else if (!$("actions").contains(document.activeElement)) $("prompt").focus({ preventScroll: true });
}
/** @type {string[]} */
let choices = [];
function buttons(given = choices) {
  choices = given;
  const focus = document.activeElement?.closest?.("#actions") ? document.activeElement.textContent : null;
  const row = choices.map((text) => element("button", { onclick: () => answer(text) }, term(text))), made = entry;
  if (made?.done) row.push(element("button", { class: "main", onclick: () => answer(made.play) }, t("learn.send")));
  if (entry?.moves.length) row.push(element("button", { onclick: () => step({ do: "back" }) }, t("act.back")));
  if (card) row.push(element("button", { onclick: () => answer("") }, t("learn.tell")));
  keepFocus(() => $("actions").replaceChildren(...row), () => row.find((each) => each.textContent === focus) || row[0] || $("prompt"));
}
const answer = (/** @type {string} */ text) => (card ? answerCard(text) : exercise ? answerDrill(text) : null);
/** @param {HTMLElement[]} lines @param {() => unknown} next */
function told(lines, next) {
  const on = element("button", { class: "main", id: "next", onclick: next }, t("learn.next"));
  $("actions").replaceChildren(on);
  $("answer").replaceChildren(...lines);
  $("type").hidden = true;
  on.focus();
}

// The quiz

/** @param {QuizTold} told */
function standing({ cards, new: unasked, due, learnt, answers, found, next }) {
  $("standing").textContent = cards ? t("learn.standing", { cards, unasked, due, learnt }) + (answers ? ` ${t("learn.right_so_far", { right: ((100 * found) / answers).toFixed(1) })}` : "") + (next && !due ? ` ${t("learn.due", { when: moment(next) })}` : "") : t("learn.empty");
}
const topics = () => /** @type {Asked.QuizAsked["topics"]} */ ($("topics").value ? [$("topics").value] : []);
function nextCard() {
  return oneMore(async () => {
    const told = await ask("/quiz/next", { topics: topics(), new: fresh }), next = told.card;
    const made = next?.kind === "play" ? await ask("/positions/entry", { dice: falling(next.board.dice), moves: [], board: next.board }) : null;
    // Until all of it is there, what is shown can be answered.
    standing(told.standing);
    exercise = null;
    plays = {};
    [card, entry] = [next, made];
    if (!card) {
      keepFocus(() => {
        $("type").hidden = true;
        $("actions").replaceChildren();
      }, () => $("prompt"));
      $("answer").replaceChildren();
      $("prompt").textContent = t(told.standing.cards ? "learn.nothing" : "learn.empty");
      return;
    }
    shown = { board: card.board, bottom: card.kind === "take" ? 1 - card.board.mover : card.board.mover };
    if (card.fresh) fresh -= 1;
    $("title").textContent = t(`topic.${card.topic}`);
    draw();
    // Where it comes from; the title says that it is an opening.
    const error = card.source.replace(/, game (\d+), move (\d+)/, (_, game, move) => `, ${t("play.number", { number: game })}, ${t("library.move", { number: move })}`);
    const from = { error, opening: "", reply: t("ask.reply", { play: card.source.replace("reply to ", "") }) }[card.topic] ?? card.source;
    asking(t(`ask.${card.kind}`, { dice: card.board.dice?.join("-") ?? "" }) + (from ? ` (${from})` : ""), card.choices, card.kind === "play" ? "8/5 6/5" : "");
  });
}
/** @param {string} text */
function answerCard(text) {
  const seconds = (performance.now() - begun) / 1000, of = card;
  return inTurn(async () => {
    if (!of || card !== of) return;
    const marked = await ask("/quiz/answer", { id: of.id, text, seconds });
    standing(marked.standing);
    card = entry = null;
    plays = of.kind === "play" ? { best: marked.best, ...(marked.given && marked.given !== marked.best ? { played: marked.given } : {}) } : {};
    draw();
    const verdict = !marked.given ? "" : marked.right ? t("learn.is_right") : t("learn.loses", { play: term(marked.given), loss: marked.loss.toFixed(3) });
    told([element("p", { class: !marked.given ? "" : marked.right ? "right" : "wrong" }, `${verdict} ${t("learn.best", { play: term(marked.best) || t("play.no_move") })}`.trim()),
      element("ol", { class: "candidates" }, ...marked.choices.map((each) => element("li", {}, element("div", { class: "row" }, element("b", {}, term(each.text) || t("play.no_move")), element("span", {}, each.loss ? signed(-each.loss) : ""))))),
      element("p", { class: "quiet" }, t("learn.due", { when: moment(marked.due) }))], nextCard);
  });
}
$("begin").addEventListener("click", () => ((fresh = 10), nextCard()));
for (const book of /** @type {const} */ (["opening", "reply"]))
  document.querySelector(`[data-book=${book}]`)?.addEventListener("click", () => inTurn(async () => {
    const told = await ask("/quiz/cards", { book });
    standing(told);
    say(many("learn.added", told.added));
  }));

// Drills

/** @param {Exercise["kind"]} kind */
function drill(kind) {
  return oneMore(async () => {
    const next = exercise?.kind === kind ? { kind, seed: exercise.seed, number: exercise.number + 1 } : { kind, seed: crypto.getRandomValues(new Uint32Array(1))[0] >>> 1, number: 0 };
    const asked = await ask("/drills", next);
    card = entry = null;
    plays = {};
    exercise = { ...next, asked };
    // What is asked for is not shown.
    shown = { board: asked.board, pips: asked.pips };
    draw();
    $("title").textContent = t(`drill.${kind}`);
    asking(t(`drill.ask_${kind}`), asked.choices, asked.names.length ? asked.names.map(() => "88").join(" ") : "");
  });
}
/** @param {string} text */
function answerDrill(text) {
  const seconds = (performance.now() - begun) / 1000, of = exercise;
  return inTurn(async () => {
    if (!of || exercise !== of || !text) return;
    const { asked, ...name } = of, marked = await ask("/drills/answer", { ...name, text, seconds });
    // It is answered once, however often it is clicked.
    exercise = name;
    records(marked.records);
    const right = marked.choices.length ? [...marked.choices].sort((a, b) => a.loss - b.loss).map((each) => `${term(each.text)}${each.loss ? ` (${signed(-each.loss)})` : ""}`).join(", ") : marked.numbers.map((each) => Number(each.toFixed(1))).join(", ");
    told([element("p", { class: marked.right ? "right" : "wrong" }, `${t(marked.right ? "learn.is_right" : "learn.is_wrong")} ${t("learn.answer_was", { answer: right, seconds: seconds.toFixed(1) })}`)], () => drill(of.kind));
    shown = { board: shown.board };
    draw();
  });
}
/** @param {DrillRecord[]} listed */
function records(listed) {
  $("records").hidden = !listed.length;
  fill($("records"), listed.map((each) => element("tr", {}, element("td", {}, t(`drill.${each.kind}`)), ...[String(each.attempts), `${(100 * each.right).toFixed(1)} %`, each.seconds.toFixed(1)].map((text) => element("td", { class: "end" }, text)))));
}
for (const kind of /** @type {const} */ (["pips", "epc", "race", "cube", "shots"])) document.querySelector(`[data-drill=${kind}]`)?.addEventListener("click", () => drill(kind));

$("type").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("typed").value.trim() || (entry?.done ? entry.play : "");
  if (text) answer(text);
});
addEventListener("look", () => shown && draw());
inTurn(async () => {
  shown = { board: (await ask("/positions", { text: START })).board };
  draw();
  $("prompt").textContent = t("learn.choose");
});
ask("/quiz").then(standing).catch(failed);
ask("/drills").then((told) => records(told.records)).catch(failed);
receive();
