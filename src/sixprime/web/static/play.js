// A sitting: what the server tells is shown, what is done here is asked of it.
import { $, API, analysisOf, ask, compiles, copy, diceOf, dicePad, dropDie, element, failed, falling, keepFocus, look, lookDialogue, onKeys, percent, press, putLatest, putText, question, reveal, saveChoice, saveFile, say, setLook, signed, sound, store, turns } from "/static/common.js";
import { Board } from "/static/board.js";
import { apart, language, many, matchTo, named, t, term, versus } from "/static/words.js";

/**
 * @import { Asked, Entered, Moved, Past, Told } from "messages"
 * @import { Step } from "/static/board.js"
 */
const key = location.pathname.split("/").pop(), place = /** @type {const} */ (`/sittings/${key}`);
/** What the server has told last; null before. @type {Told} */
let told = /** @type {any} */ (null);
/** @type {Entered | null} */
let entry = null;
/** @type {number | null} */
let acting = null;
/** When that was told, by the clock of this window. */
let heard = 0;
/** The boards of this game until now, once they were asked for. @type {Past | null} */
let past = null;
/** The row of the list of moves that is looked back at, with its board; null at the present. @type {{ row: number, board: Past["boards"][number], xgid: string } | null} */
let back = null;
/** Why nothing is heard of the server, "" while it answers. */
let silent = "";
/** Whether the game was removed meanwhile. */
let gone = false;
/** How far the kernels are compiled for which a program waits. @type {number | null} */
let compiled = null;
let themes = ["auto"], address = "", lay = () => {};
const laid = new Promise((done) => (lay = () => done(null)));
const board = new Board($("board"), { move: step, dice: diceClicked, cube: () => act("double") });

/** @type {Record<string, string>} */
const LABELS = Object.fromEntries(["roll", "double", "take", "drop", "beaver", "accept", "decline", "next"].map((name) => [name, t(`act.${name}`)]));
/** The second time a cube is turned back has a name of its own. @param {string} act */
const label = (act) => (act === "beaver" && told.beavered ? t("act.raccoon") : LABELS[act]);
/** @type {Record<string, string>} */
const KEYS = { roll: "r", double: "d", take: "t", drop: "p", beaver: "b", accept: "a", decline: "d", next: "n" };

const busily = turns(async (error) => {
  failed(error);
  if (error.code === "not_allowed") show(await ask(place).catch(() => told));
});

// Plays

const asked = (/** @type {Entered} */ of, /** @type {Partial<Asked.EntryAsked>} */ more) => ({ dice: of.dice, moves: of.moves, ...more });
/** @param {number} start @param {number} end */
function step(start, end) {
  return busily(async () => {
    // The chequers may stand elsewhere by now.
    if (!entry?.sources.some((each) => each.point === start && each.ends.includes(end))) return;
    const mover = told.board.mover;
    entry = await ask(`${place}/entry`, asked(entry, { do: "move", start, end }));
    sound(440);
    draw([[mover, start, end]]);
  });
}
/** @type {(what: "text" | "swap" | "back" | "show", more?: Partial<Asked.EntryAsked>) => Promise<unknown>} */
const change = (what, more = {}) => busily(async () => {
  if (!entry) return;
  entry = await ask(`${place}/entry`, asked(entry, { do: what, ...more }));
  draw();
});
function diceClicked() {
  if (told.acts.includes("roll")) return act("roll");
  if (entry?.done) return finish();
  change("swap");
}
const finish = () => entry?.done && act("play", { play: entry.play });

/** Dice that were thrown elsewhere. @param {number} first @param {number} second */
const tell = (first, second) => told.throws && act(told.throws, { dice: [first, second] });

/** Says what an answer waits for that takes long, as the first one of hypergammon does. @template T @param {Promise<T>} answer */
function slowly(answer) {
  const slow = setTimeout(() => say(t("engine.looks")), 1500);
  return answer.finally(() => clearTimeout(slow));
}
/** @param {string} what @param {Partial<Asked.ActAsked>} more */
function act(what, more = {}) {
  // The same is done once, however often it is clicked.
  const number = told.number;
  if (acting === number) return;
  acting = number;
  const does = /** @type {Asked.ActAsked["do"]} */ (what);
  return busily(async () => {
    if (told.number !== number) return;
    let done = await slowly(ask(`${place}/acts`, { do: does, number, ...more }));
    if (done.warned) {
      const { words, better, loss, skill } = done.warned;
      const answer = await question(t("tutor.title"), t("tutor.warns", { play: term(words || "–"), loss: loss.toFixed(3), skill: term(skill) }), [["again", t("tutor.again")], ["show", t("tutor.show")], ["anyway", t("tutor.anyway")]]);
      if (answer === "show") say(t("tutor.better", { play: term(better) }));
      if (answer !== "anyway") return;
      done = await ask(`${place}/acts`, { do: does, number, ...more, anyway: true });
    }
    show(done.told);
  }).finally(() => acting === number && (acting = null));
}

const watch = (/** @type {Asked.WatchAsked["do"]} */ what) => busily(async () => show(await ask(`${place}/watch`, { do: what })));

// Showing

/** @param {Told} next */
function show(next) {
  if (!next || (told && next.version < told.version)) return;
  const before = told, looked = back && told.moves[back.row], changed = !told || told.number !== next.number || told.late !== next.late;
  told = { ...next, names: /** @type {[string, string]} */ (named(next)) };
  heard = performance.now();
  lay();
  /** @type {Step[]} */
  let ways = [];
  if (changed) {
    past = null;
    const half = store.object("half");
    // He may go on looking back while others act, not once he has to, nor at what was taken back.
    const called = next.over || next.phase === "game over" || (next.turn !== null && next.mine.includes(next.turn));
    if (back && (called || before.game !== next.game || JSON.stringify(looked) !== JSON.stringify(next.moves[back.row]))) back = null;
    entry = next.entry;
    board.selected = null;
    dropDie();
    $("hints").replaceChildren();
    const player = next.last_player;
    if (before && next.number > before.number && player !== null && !next.mine.includes(player)) ways = next.last.map(([start, end]) => [player, start, end]);
    if (!before && half.key === key && half.number === next.number && half.moves.length) change("show", { dice: half.dice, moves: half.moves });
    if (before && next.number > before.number) sound(next.turn !== null && next.mine.includes(next.turn) ? 660 : 330);
  }
  draw(ways, changed && !back);
  if (next.over && before && !before.over) finished();
}

/** @param {Step[]} ways @param {boolean} turned whether there is something else to be done now */
function draw(ways = [], turned = false) {
  const next = () => mainButton() || board.first() || $("prompt"), opening = !document.body.dataset.phase && document.activeElement === document.body;
  keepFocus(() => drawAll(ways), next);
  // At the prompt it has waited for somebody else; on the board it begins anew, and a raccoon is no second beaver.
  if (opening || document.activeElement === $("prompt") || (turned && document.activeElement?.closest(".hits, .moves, .steps, [data-act=beaver]"))) next().focus({ preventScroll: true });
}
/** @param {Step[]} ways */
function drawAll(ways) {
  const mine = told.mine, bottom = mine.length === 1 ? mine[0] : 0;
  if (back) board.show({ board: back.board, bottom, names: told.names, plays: told.moves[back.row].dice ? { played: told.moves[back.row].text } : {} });
  else board.show({ board: told.start ? { ...told.board, dice: null } : told.board, bottom, entry, names: told.names, roll: told.acts.includes("roll"), double: told.acts.includes("double") }, ways);
  document.body.classList.toggle("earlier", !!back);
  $("earlier").setAttribute("aria-disabled", String(gone || shownRow() < 1));
  $("later").setAttribute("aria-disabled", String(!back));
  document.body.dataset.number = String(told.number);
  document.body.dataset.phase = told.phase;
  // A play that is half made outlives a reload.
  store.write("half", entry ? JSON.stringify({ key, number: told.number, dice: entry.dice, moves: entry.moves }) : "");
  $("headline").textContent = headline();
  document.title = `${versus(told.names)}, Sixprime`;
  const top = board.bottom === 0 ? 1 : 0;
  bar($("above"), top);
  bar($("below"), 1 - top);
  const made = entry?.moves.length ? ` ${entry.play}` : "";
  putText($("prompt"), silent || (back ? t("play.earlier", { name: told.names[told.moves[back.row].player], move: moveText(told.moves[back.row]) }) : late() + (told.problem || (entry?.done && entry.moves.length ? t("play.confirm", { play: entry.play }) : entry && made ? `${made.trim()} …` : prompt()))));
  $("prompt").classList.toggle("problem", !!(silent || told.problem));
  actions();
  list();
  $("invitation").hidden = !(told.invitation && told.waiting_for_guest);
  $("save").disabled = gone || (!told.moves.length && told.game === 1);
  $("tutor").hidden = !told.hints || !!told.watch || told.over;
  $("analyse").hidden = !told.hints;
  $("type").hidden = gone || told.over || (!!told.watch && !told.throws);
  press($("tutor"), told.tutor);
}

const mainButton = () => /** @type {HTMLElement | null} */ ($("actions").querySelector(".main"));
function headline() {
  const { length, crawford } = told.board;
  return [matchTo(length), told.variant === "standard" ? "" : t(`variant.${told.variant}`), t("play.number", { number: told.game }), crawford ? t("play.crawford") : ""].filter(Boolean).join(", ");
}
/** A text of a player: of key.you for whoever has told no name, or plays from here alone, whatever he is called. @param {string} key @param {number} player */
const who = (key, player, parts = {}) => t(player === told.unnamed || (told.mine.length === 1 && told.mine[0] === player) ? `${key}.you` : key, { name: told.names[player], ...parts });
/** What is to be done now, or what has come of it. */
function prompt() {
  const { phase, turn, mine, names, winner, late: slow, board: { score, dice } } = told;
  if (slow !== null) return who("prompt.lost", slow);
  if (phase === "match over" && winner !== null) return who("prompt.match", winner, { score: [score[winner], score[1 - winner]].join("–") });
  if (phase === "game over" && winner !== null) return who("prompt.game", winner, { points: many("points", told.points) });
  if (told.throws === "open") return t("prompt.open", { first: names[0], second: names[1] });
  if (turn === null) return "";
  if (told.throws && !mine.includes(turn)) return t("prompt.tell_of", { name: names[turn] });
  if (told.watch === "paused") return t("prompt.paused");
  if (!mine.includes(turn)) return told.programs[turn] ? (compiled === null ? t("prompt.thinks", { name: names[turn] }) : compiles(compiled)) : t("prompt.waits", { name: names[turn] });
  const other = 1 - turn;
  /** @type {Record<string, () => string>} */
  const says = {
    roll: () => (told.acts.includes("double") ? t(told.throws ? "prompt.tell_double" : "prompt.roll_double") : t(told.throws ? "prompt.tell" : "prompt.roll")),
    play: () => t(told.entry?.sources.length ? "prompt.play" : "prompt.stuck", { dice: falling(dice).join("-") }),
    doubled: () => who("prompt.doubled", other, { cube: told.offered }),
    resigned: () => who("prompt.resigned", other, { loss: t(`resigned.${told.resigned}`) }),
  };
  const asked = says[phase]();
  return mine.length > 1 ? `${apart(names[turn])}: ${asked}` : asked;
}

/** Whose time is over where the game goes on all the same. */
const late = () => (told.over || told.clock?.loses ? [] : [0, 1].filter((player) => clock(player) <= 0 && told.clock?.left)).map((player) => `${who("prompt.late", player)} `).join("");

/** @param {HTMLElement} box @param {number} player */
function bar(box, player) {
  const { score, length, counts } = (back || told).board, turn = back ? told.moves[back.row].player : told.turn;
  const pips = (entry && !back ? (player === told.board.mover ? entry.counts[0] : entry.counts[1]) : counts[player]).reduce((sum, count, point) => sum + count * point, 0);
  const parts = [
    element("span", { class: `disc ink${player ^ board.ink}`, "aria-hidden": "true" }),
    element("span", { class: "name" }, told.names[player]),
    element("span", { class: "facts" }, many("pips", pips)),
    told.turn === player && told.thinking ? element("span", { class: "thinking" }, t("play.thinking")) : null,
    told.clock && element("span", { class: "clock", "data-player": player }, time(clock(player))),
    element("span", { class: "score", title: t("play.score") }, length ? `${score[player]} / ${length}` : `${score[player]}`),
  ];
  box.replaceChildren(...parts.filter((part) => part !== null));
  box.classList.toggle("turn", turn === player);
}
/** Seconds of a player by now: left, or used where there is no limit. @param {number} player */
function clock(player) {
  if (!told.clock) return 0;
  const { left, used, running, loses } = told.clock, passed = running === player ? (performance.now() - heard) / 1000 : 0;
  if (!left) return used[player] + passed;
  return loses ? Math.max(0, left[player] - passed) : left[player] - passed;
}
/** Of what is left a second that has begun counts. @param {number} seconds */
function time(seconds) {
  const whole = told.clock?.left ? Math.ceil(seconds) : Math.floor(seconds), shown = Math.abs(whole);
  return `${whole < 0 ? "−" : ""}${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, "0")}`;
}

function actions() {
  const focus = document.activeElement?.closest("#actions") ? document.activeElement.getAttribute("data-act") : null;
  /** @type {HTMLElement[]} */
  const row = [];
  const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => unknown} */ work, main = false, key = "") =>
    row.push(element("button", { class: main ? "main" : "", "data-act": name, "aria-keyshortcuts": key, title: key ? `${label} (${key})` : label, onclick: work }, label));
  if (back) button("present", t("play.present"), () => present(), true, "Escape");
  if (back) return void $("actions").replaceChildren(...row);
  if (told.moves.length && told.over && !gone) button("report", t("act.report"), report, true);
  if (told.over || gone) button("fresh", t("act.fresh"), () => (location.href = "/"), gone);
  if (told.watch && told.turn !== null) {
    const runs = told.watch === "runs";
    button(runs ? "pause" : "go_on", t(runs ? "act.pause" : "act.go_on"), () => watch(runs ? "pause" : "go_on"), true, "p");
    button("step", t("act.step"), () => watch("step"), false, "n");
  }
  if (told.throws) row.push(dicePad(() => draw(), tell));
  if (entry?.done) button("play", entry.moves.length ? t("act.play") : t("act.go_on"), finish, true, "Enter");
  for (const name of told.acts.filter((each) => each !== "play")) button(name, label(name), () => act(name), name === "roll" || name === "take" || name === "next" || name === "accept", KEYS[name]);
  if (entry?.moves.length) button("back", t("act.back"), () => change("back"), false, "u");
  else if (told.undo) button("undo", t("act.undo"), () => act("undo"), false, "u");
  if (told.redo && !entry?.moves.length) button("redo", t("act.redo"), () => act("redo"), false, "y");
  if (told.hints && told.turn !== null && told.mine.includes(told.turn)) button("hint", t("act.hint"), hint, false, "h");
  if (told.offers.length) button("resign", t("act.resign"), resign);
  if (told.hints && told.moves.length && told.phase === "game over") button("report", t("act.report"), report);
  $("actions").replaceChildren(...row);
  if (focus) /** @type {HTMLElement | null} */ ($("actions").querySelector(`[data-act="${focus}"]`))?.focus({ preventScroll: true });
}

const moveText = (/** @type {Moved} */ move) => [move.dice, term(move.text)].filter(Boolean).join(": ");
/** What a move was, within a sentence. @param {Moved} move */
function sentence(move) {
  const words = moveText(move), name = told.names[move.player];
  if (move.text === "Position set") return `${words}.`;
  if (!move.dice && move.player === told.unnamed) return `${term(`You ${move.text[0].toLowerCase()}${move.text.slice(1)}`)}.`;
  return `${apart(name)} ${move.dice ? words : words[0].toLowerCase() + words.slice(1)}.`;
}
function list() {
  /** @type {{ number: number, cells: HTMLElement[] }[]} */
  const rows = [];
  const body = $("moves").tBodies[0], held = !!document.activeElement?.closest(".moves"), shown = Math.min(shownRow(), told.moves.length - 1);
  told.moves.forEach((move, i) => {
    // What is no turn has a row of its own.
    if (!move.number || rows.at(-1)?.number !== move.number) rows.push({ number: move.number, cells: [] });
    // One stop for the Tab key, from which the arrows lead on.
    rows[rows.length - 1].cells[move.player] = element("button", { tabindex: i === shown ? 0 : -1, "aria-current": back?.row === i && "step", onclick: () => busily(() => lookAt(i)) }, moveText(move));
  });
  body.replaceChildren(...rows.map(({ number, cells }) => element("tr", {}, number ? element("th", { scope: "row" }, String(number)) : element("td"), element("td", {}, cells[0]), element("td", {}, cells[1]))));
  const stop = /** @type {HTMLElement | null} */ (body.querySelector('[tabindex="0"]'));
  if (held) stop?.focus({ preventScroll: true });
  $("first").textContent = told.names[0];
  $("second").textContent = told.names[1];
  reveal(back ? stop : body.lastElementChild);
  putLatest($("said"), language === "en" ? told.lines.slice(-2).map((line) => told.names.reduce((said, name) => said.replaceAll(name, apart), line)) : told.moves.slice(-2).map(sentence));
}

// Looking back

/** The row that comes next: dice that are still to be played are its own. */
const presentRow = () => told.moves.length - (told.phase === "play" && told.moves.at(-1)?.text === "" ? 1 : 0);
const shownRow = () => back?.row ?? presentRow();
/** @param {number} row */
async function lookAt(row) {
  if (!told || gone || row < 0 || row === back?.row) return;
  if (row >= presentRow()) return present();
  const number = told.number;
  past ??= await ask(`${place}/past`).catch((error) => (failed(error), null));
  // Something was done meanwhile.
  if (!past || told.number !== number || past.number !== number) return void (past = null);
  back = { row, board: past.boards[row], xgid: past.xgids[row] };
  board.drop();
  draw();
}
function present(kept = false) {
  if (!back) return;
  back = null;
  draw([], !kept);
}
// In turn, so that two quick steps are two.
const earlier = () => told && busily(() => lookAt(shownRow() - 1));
const later = () => busily(() => back && (back.row + 1 < presentRow() ? lookAt(back.row + 1) : present(true)));
$("earlier").addEventListener("click", earlier);
$("later").addEventListener("click", later);
$("board").addEventListener("click", () => present());

async function hint() {
  $("hints").replaceChildren(element("p", { class: "quiet" }, t("engine.looks")));
  const found = await ask(`${place}/hint`, {}, "POST").catch(failed);
  if (!found) return $("hints").replaceChildren();
  if (found.number !== told.number) return;
  $("hints").replaceChildren(element("h2", {}, t("act.hint")), element("ol", { class: "candidates" }, ...found.options.slice(0, 6).map((each, i, listed) => {
    const chances = each.chances ? t("play.chances", { wins: percent(each.chances[0]), gammons: percent(each.chances[1]) }) : "";
    return element("li", { class: i && Number(each.plies) < Number(listed[i - 1].plies) ? "apart" : "" }, element("button", { onclick: () => preview(each.words), title: chances }, element("b", {}, term(each.words) || t("play.no_move")), element("span", {}, signed(each.equity)), element("small", {}, chances), element("em", {}, [each.loss ? signed(-each.loss) : "", each.plies === null ? "" : `${each.plies}-ply`].filter(Boolean).join(" · "))));
  })), element("p", { class: "quiet" }, t("play.columns")));
}
/** @param {string} play */
function preview(play) {
  present(true);
  if (told.phase === "play" && entry) change("text", { text: play }).then(() => mainButton()?.focus({ preventScroll: true }));
}
async function resign() {
  const answer = await question(t("resign.title"), "", [["", t("resign.not")], ...told.offers.map((value) => [String(value), t(`resign.${value}`)])]);
  if (answer) act("resign", { value: +answer });
}
async function finished() {
  const answer = await question(prompt(), told.names.map((name, player) => `${apart(name)} ${told.board.score[player]}`).join(", "), [["report", t("play.see_report")], ["fresh", t("act.fresh")], ["", t("close")]]);
  if (answer === "report") report();
  if (answer === "fresh") location.href = "/";
}
const report = () => busily(async () => {
  const begun = await ask(`${place}/report`, {}, "POST");
  location.href = `/reports/${begun.key}`;
});

// Keys

onKeys((event, on) => {
  const pressed = event.key.toLowerCase(), onButton = on.matches("button, a, [role=button]");
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") return event.preventDefault(), void (event.key === "ArrowLeft" ? earlier() : later());
  // What is done is done to a board that is seen first.
  if (back && (event.key === "Escape" || event.key === "Backspace" || (event.key.length === 1 && pressed !== "f" && !(onButton && event.key === " ")))) {
    event.preventDefault();
    present();
    if (!/^[0-9/]$/.test(pressed)) return;
  }
  if (event.key === "Enter" && !onButton) return event.preventDefault(), mainButton()?.click();
  if (event.key === "Escape") return board.drop();
  if (event.key === "Backspace") return event.preventDefault(), void change("back");
  if (pressed === "s") return void change("swap");
  if (pressed === "f") return setLook({ flip: !look.flip });
  if (!$("type").hidden && /^[0-9/]$/.test(pressed)) return event.preventDefault(), $("typed").focus(), void ($("typed").value = pressed === "/" ? "" : pressed);
  const found = /** @type {HTMLElement[]} */ ([...$("actions").children]).find((each) => each.getAttribute("aria-keyshortcuts") === pressed);
  if (found) event.preventDefault(), found.click();
});
$("type").addEventListener("submit", async (event) => {
  event.preventDefault();
  await laid;
  const text = $("typed").value.trim(), before = [told.number, entry];
  if (text) present(true);
  if (!text) return mainButton()?.click();
  const named = told.acts.find((each) => [each, label(each)?.toLowerCase()].includes(text.toLowerCase()));
  const dice = told.throws && diceOf(text);
  if (!named && !dice && !entry) return failed(new Error(t("play.no_dice")));
  await (named ? act(named) : dice ? tell(...dice) : change("text", { text }));
  // What was not done stays, to be put right or tried again.
  if ($("typed").value.trim() === text && (told.number !== before[0] || entry !== before[1])) $("typed").value = "";
  if (!named && !dice) $("typed").focus();
});

$("tutor").addEventListener("click", () => told && busily(async () => show(await ask(`${place}/tutor`, { on: !told.tutor }))));
$("look").addEventListener("click", () => lookDialogue(themes));
$("flip").addEventListener("click", () => setLook({ flip: !look.flip }));
// What is seen is what is analysed.
$("analyse").addEventListener("click", () => told && (location.href = analysisOf((back || told).xgid, told.board.chequers)));
// The names of this machine for itself lead others nowhere.
const outward = () => (/^(localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(location.hostname) && address) || location.origin;
$("invite").addEventListener("click", () => copy(`${outward()}/play/${told.invitation}`, t("play.the_invitation")));
addEventListener("look", () => told && draw());
setInterval(() => {
  if (!told?.clock || told.clock.running === null) return;
  if (!silent && late() && !$("prompt").textContent?.startsWith(late())) draw();
  const shown = document.querySelector(`.clock[data-player="${told.clock.running}"]`);
  if (shown) shown.textContent = time(clock(told.clock.running));
}, 500);

/** How many acts there were when it was looked at last whether a program thinks. */
let thought = -1;
// A program that thinks for long may wait for kernels.
setInterval(async () => {
  const before = thought;
  thought = told?.thinking ? told.number : -1;
  const { percent } = thought < 0 || thought !== before ? { percent: null } : await ask("/compiling").catch(() => ({ percent: null }));
  if (percent === compiled) return;
  compiled = percent;
  if (told) draw();
}, 1000);

// A browser has but a few connections to one server: of many games, those behind others give theirs up until they are
// looked at again.
const GAMES = 3, others = new BroadcastChannel("sixprime-games");
/** @type {EventSource | null} */
let stream = null;
let newer = 0;
function listen() {
  newer = 0;
  others.postMessage("");
  const own = (stream = new EventSource(API + place + "/events"));
  // Another server may have come meanwhile, which counts from the start.
  own.onopen = () => void (told && (told.version = -1));
  own.onmessage = (event) => {
    silent = "";
    show(JSON.parse(event.data));
  };
  own.onerror = async () => {
    try {
      await ask(place);
    } catch (error) {
      if (error.code) own.close();
      gone = error.code === "not_there";
      const said = gone ? t("play.removed") : error.message;
      if (silent === said) return;
      silent = said;
      if (gone && told) {
        // Its board stays to be seen, and nothing can be done.
        told = { ...told, acts: [], offers: [], throws: "", watch: "", turn: null, entry: null, undo: false, redo: false, thinking: false, hints: false, invitation: null, clock: null };
        entry = back = null;
        board.drop();
      }
      if (told) draw();
      else putText($("prompt"), silent);
    }
  };
}
others.onmessage = () => {
  newer += 1;
  if (newer < GAMES || document.visibilityState === "visible" || !stream) return;
  stream.close();
  stream = null;
};
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && !stream && listen());
listen();
ask("/about").then((about) => {
  ({ themes, address } = about);
  saveChoice($("save"), about.formats, t("live.save"), (form) => busily(async () => saveFile(await ask(`${place}/file`, { form }), $("save"), form)));
  $("alone").hidden = about.shared;
}).catch(() => {});
