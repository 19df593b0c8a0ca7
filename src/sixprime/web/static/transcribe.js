// A match is written down by hand: dice and plays by keys or on the board, checked by the rules as they are typed.
import { $, API, ask, diceOf, dicePad, element, failed, falling, keepFocus, me, onKeys, once, option, press, putText, question, reveal, saveChoice, saveFile, say, signed, store, turns } from "/static/common.js";
import { Board } from "/static/board.js";
import { apart, many, matchTo, t, term } from "/static/words.js";

/**
 * @import { Asked, Board as Position, Entered, Line, Transcript, TranscriptTold } from "messages"
 * @import { Step } from "/static/board.js"
 */
/** @type {Transcript} */
const EMPTY = { names: ["", ""], length: 7, variant: "standard", crawford: true, jacoby: true, beavers: 3, event: "", date: "", lines: [] };
/** What the server has told last; null before. @type {TranscriptTold} */
let told = /** @type {any} */ (null);
/** The play that is made, null without dice. @type {Entered} */
let entry = /** @type {any} */ (null);
/** @type {number[] | null} */
let dice = null;
/** @type {EventSource | null} */
let best = null;
let script = EMPTY, at = 0, begins = 0, inserting = false, checking = 0;
/** The match as the server has looked at it last; null before. @type {{ script: Transcript, at: number, begins: number, inserting: boolean, dice: number[] | null, kept: string } | null} */
let seen = null;
const inTurn = turns();
const board = new Board($("board"), { move: (start, end) => step({ do: "move", start, end }, [[told.board.mover, start, end]]), dice: () => (entry?.done ? finish() : step({ do: "swap" })) });
const name = (/** @type {number} */ player) => apart(script.names[player].trim()) || t("player", { number: player + 1 });

// What is asked of the server: the whole match each time, which takes it a moment.

function look(focus = true, thrown = false) {
  return inTurn(async () => {
    const asked = dice;
    try {
      told = await ask("/transcripts", { transcript: script, at, dice, player: begins });
    } catch (error) {
      // What the page does not show has not been done, and can be done again.
      if (seen) ({ script, at, begins, inserting, dice, kept } = seen), fields();
      if (thrown && !$("typed").value) $("typed").value = asked?.join("") ?? "";
      throw error;
    }
    // Something else has been typed meanwhile, and will be looked at next.
    if (dice !== asked) return;
    if (told.bad !== null && told.bad < at) return void go(told.bad);
    begin();
    if (!entry) dice = null;
    const looked = script;
    keep();
    // What another window has made of it is looked at next.
    if (script === looked) seen = { script, at, begins, inserting, dice, kept };
    // Where no chequer can move there is nothing to be typed.
    if (thrown && stuck()) {
      say(t("prompt.stuck", { dice: dice?.join("-") }));
      return void put({ do: "play", dice: pair(), play: "", player: player() });
    }
    draw();
    if (focus && matchMedia("(hover: hover)").matches) $("typed").focus();
    suggest();
  });
}
const stuck = () => entry?.done && !entry.illegal && !entry.sources.length && !entry.moves.length;
const player = () => (told.begins ? begins : told.board.mover);
/** The play from its start. */
const begin = () => (entry = /** @type {Entered} */ (told.entry));
/** @param {Partial<Asked.EntryAsked>} more @param {Step[]} ways */
function step(more, ways = []) {
  return inTurn(async () => {
    if (!entry) return;
    entry = await ask("/positions/entry", { dice: entry.dice, moves: entry.moves, board: told.board, ...more });
    wrong("");
    draw(ways);
  });
}

// Lines

/** @param {Partial<Line> & Pick<Line, "do">} made */
function put(made) {
  // What is shown is done once, however often it is clicked.
  if (script !== seen?.script || at !== seen.at) return;
  const line = { player: null, dice: null, play: "", value: 1, anyway: false, ...made };
  const lines = [...script.lines];
  lines.splice(at, inserting || at >= lines.length ? 0 : 1, line);
  script = { ...script, lines };
  // Where a line that was there does not fit any more, that is the next to be put right.
  go(at + 1).then(() => void (told.bad !== null && told.bad > at && go(told.bad)));
}
/** @param {number} index */
function go(index, focus = true) {
  at = Math.max(0, Math.min(index, script.lines.length));
  const line = script.lines[at];
  dice = line?.do === "play" && !inserting ? line.dice : null;
  begins = line?.player ?? 0;
  wrong("");
  $("typed").value = "";
  return look(focus);
}
const finish = () => entry?.done && !entry.illegal && put({ do: "play", dice: pair(), play: entry.play, player: begun() });
const pair = () => /** @type {[number, number]} */ (dice);
/** What was played, though the rules do not allow it; nothing made: the roll was left unplayed. */
const asPlayed = () => put({ do: "play", dice: pair(), play: entry.play, player: begun(), anyway: true });
/** Who threw: of a first roll the player who begins. */
const begun = () => (told.turn === null ? begins : told.board.mover);
/** @param {number} first @param {number} second */
function throwDice(first, second) {
  dice = falling([first, second]);
  return look(true, true);
}
/** @param {string} what */
async function act(what) {
  if (what !== "resign") return put({ do: /** @type {Line["do"]} */ (what), player: told.turn });
  const who = told.turn ?? 0;
  const answer = await question(t("transcribe.who"), "", [0, 1].map((each) => (each + who) % 2).flatMap((each) => [1, 2, 3].map((value) => [`${each}${value}`, `${name(each)}: ${t(`resign.${value}`)}`])).concat([["", t("resign.not")]]));
  if (answer) put({ do: "resign", player: +answer[0], value: +answer[1] });
}

// What is typed

/** @type {Record<string, string>} */
const WORDS = { d: "double", t: "take", p: "drop", b: "beaver", r: "resign" };
/** What a word does, if that can be done now: with dice nobody doubles any more, but resigns. @param {string} text */
const worded = (text) => Object.entries(WORDS).find(([key, each]) => told.dos.includes(each) && [key, each, t(`act.${each}`).toLowerCase()].includes(text.toLowerCase()))?.[1];
/** @param {string} text */
function wrong(text) {
  $("wrong").textContent = text;
  $("typed").ariaInvalid = text ? "true" : null;
}
/** The play that is typed, as far as it can be read. */
async function tried(/** @type {string} */ text, /** @type {Position} */ board, /** @type {number[]} */ of) {
  return ask("/positions/entry", { dice: of, moves: [], board, do: "text", text, anyway: true });
}
/** Says why a play is wrong; nothing of one that was kept from being shown stays on the board. */
function refuse(/** @type {Error} */ error) {
  if (entry.illegal) begin();
  draw();
  wrong(error.message);
}
$("typed").addEventListener("input", () => {
  const text = $("typed").value.trim().replace(/\s*!$/, "");
  wrong("");
  if (entry?.illegal && !text) begin(), draw();
  if (!entry) {
    const found = diceOf(text);
    if (found && told?.dos.includes("play")) {
      $("typed").value = "";
      throwDice(...found);
    }
    return;
  }
  clearTimeout(checking);
  if (worded(text)) return;
  const of = entry.dice;
  checking = setTimeout(() => text && inTurn(async () => {
    if ($("typed").value.trim().replace(/\s*!$/, "") !== text || !entry) return;
    try {
      entry = await tried(text, told.board, of);
      draw();
      wrong(entry.illegal);
    } catch (error) {
      refuse(error);
    }
  }), 120);
});
$("type").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("typed").value.trim();
  clearTimeout(checking);
  inTurn(async () => {
    if (!told) return;
    if (!text) return void finish();
    const word = worded(text), thrown = !entry && told.dos.includes("play") ? diceOf(text) : null, whole = text.match(/^([1-6])[ -]?([1-6])\s*:?\s+(.+)$/);
    if (!entry && whole && told.dos.includes("play")) {
      $("typed").value = "";
      dice = falling([+whole[1], +whole[2]]);
      told = await ask("/transcripts", { transcript: script, at, dice, player: begins });
      if (begin()) await play(whole[3]);
    } else if (word) act(word);
    else if (thrown) ($("typed").value = ""), throwDice(...thrown);
    else if (entry) await play(text);
    else wrong(t("transcribe.unread", { text: $("typed").value.trim() }));
  });
});
/** With an exclamation mark behind it a play is kept as it is, whatever the rules say. */
async function play(/** @type {string} */ text) {
  const made = text.replace(/\s*!$/, ""), anyway = made !== text;
  try {
    entry = made ? await tried(made, told.board, entry.dice) : begin();
  } catch (error) {
    $("typed").value = text;
    return refuse(error);
  }
  draw();
  if (entry.done && !entry.illegal) return finish();
  if (anyway) return asPlayed();
  $("typed").value = text;
  wrong(entry.illegal || t("transcribe.part", { play: entry.play }));
}

// Showing

/** @type {Record<string, string>} */
const LABELS = { double: "act.double", take: "act.take", drop: "act.drop", beaver: "act.beaver", resign: "act.resign" };
/** @param {Step[]} ways */
function draw(ways = []) {
  const { turn, game, over, problem, bad } = told, whose = name(turn ?? 0);
  board.show({ board: told.board, bottom: 0, entry, names: [name(0), name(1)] }, ways);
  document.body.dataset.lines = String(told.lines.length);
  $("headline").textContent = [matchTo(script.length), t("play.number", { number: game }), told.board.score.join("–"), told.board.crawford ? t("play.crawford") : ""].filter(Boolean).join(", ");
  const asked = over ? t("transcribe.over") : bad !== null && bad === at ? problem : told.board.doubled ? t("transcribe.doubled", { name: whose, cube: told.board.cube }) : entry ? `${name(begun())}: ${t("prompt.play", { dice: dice?.join("-") })}${entry.moves.length ? ` ${entry.play}` : ""}` : told.begins ? t("transcribe.begins", { name: name(begins) }) : t(told.dos.includes("double") ? "transcribe.dice" : "transcribe.thrown", { name: whose });
  putText($("prompt"), asked);
  $("prompt").classList.toggle("problem", bad !== null && bad === at);
  /** @type {HTMLElement[]} */
  const row = [];
  if (told.begins || (entry && told.lines[at - 1]?.winner !== null && turn !== null && at === first())) row.push(element("button", { id: "begins", "aria-keyshortcuts": "x", onclick: () => ((begins = 1 - begins), look()) }, t("transcribe.swap", { name: name(1 - begins) })));
  if (entry?.done && !entry.illegal) row.push(element("button", { class: "main", onclick: finish }, t(stuck() ? "play.no_move" : "play.enter")));
  if (entry?.illegal) row.push(element("button", { onclick: () => (begin(), ($("typed").value = ""), wrong(""), draw()) }, t("act.back")));
  if (entry?.moves.length) row.push(element("button", { onclick: () => step({ do: "back" }) }, t("act.back")));
  if (dice) row.push(element("button", { onclick: () => ((dice = null), look()) }, t("transcribe.other_dice")));
  if (entry && (!entry.done || entry.illegal)) row.push(element("button", { id: "anyway", title: `${t("transcribe.anyway_title")} (!)`, onclick: asPlayed }, t(entry.illegal || entry.moves.length ? "transcribe.anyway" : "transcribe.unplayed")));
  for (const each of told.dos.filter((each) => each !== "play" && (!dice || each === "resign"))) row.push(element("button", { "data-do": each, onclick: () => act(each) }, t(LABELS[each])));
  if (!entry && told.dos.includes("play")) row.unshift(dicePad(() => draw(), throwDice));
  keepFocus(() => $("actions").replaceChildren(...row), () => $("prompt"));
  list();
}
/** The line with which the game begins that is looked at. */
function first() {
  let index = at;
  while (index > 0 && told.lines[index - 1]?.winner === null) index -= 1;
  return index;
}
function list() {
  /** @type {HTMLElement[]} */
  const rows = [];
  let game = 0;
  script.lines.forEach((line, index) => {
    const known = told.lines[index];
    if (known && known.game !== game) rows.push(element("li", { class: "head" }, t("play.number", { number: (game = known.game) })));
    const text = known ? [known.dice, term(known.text)].filter(Boolean).join(": ") : [line.dice?.join(""), line.play || line.do].filter(Boolean).join(": ");
    rows.push(element("li", { class: index === told.bad ? "wrong" : known ? "" : "unread" }, element("button", { "aria-current": index === at && "true", onclick: () => go(index) }, element("i", { class: `disc ink${known?.player ?? 0}`, "aria-hidden": "true" }), element("span", {}, `${known ? name(known.player) : "?"} `), element("b", {}, text || t("transcribe.unplayed")), known?.illegal ? element("em", {}, t("transcribe.illegal")) : null, known && known.winner !== null ? element("small", {}, t("transcribe.wins", { name: name(known.winner), points: many("points", known.won) })) : null)));
  });
  if (at >= script.lines.length && !told.over) rows.push(element("li", { class: "next", "aria-current": "true" }, "…"));
  $("lines").replaceChildren(...rows);
  reveal($("lines").querySelector("[aria-current]"));
  press($("insert"), inserting);
  $("insert").disabled = $("remove").disabled = $("end").disabled = at >= script.lines.length;
  $("report").disabled = $("save").disabled = !told.lines.length || told.bad !== null;
}

// The best plays of the engine, to be chosen by a click: most plays are among them.

function suggest() {
  best?.close();
  $("plays").replaceChildren();
  if (!entry?.sources.length || !told.xgid) return;
  const own = (best = new EventSource(`${API}/analysis?${new URLSearchParams({ id: told.xgid, plies: "0", page: me, chequers: String(told.board.chequers) })}`));
  own.onmessage = (event) => {
    const piece = JSON.parse(event.data);
    if (piece.kind !== "plays") return own.close();
    $("plays").replaceChildren(...piece.plays.slice(0, 6).map((/** @type {any} */ each, /** @type {number} */ i) => element("li", {}, element("button", { onclick: () => put({ do: "play", dice: pair(), play: each.play, player: begun() }) }, element("b", {}, each.play), element("span", {}, i ? signed(-each.equity_loss) : signed(each.equity))))));
  };
  own.onerror = () => own.close();
}

// The match

function fields() {
  [$("first").value, $("second").value] = script.names;
  for (const id of /** @type {const} */ (["variant", "event", "date"])) $(id).value = script[id];
  for (const id of /** @type {const} */ (["crawford", "jacoby"])) $(id).checked = script[id];
  $("length").value = String(script.length);
}
$("match").addEventListener("change", () => {
  script = { ...script, names: [$("first").value, $("second").value], length: Math.max(0, Math.min(999, Math.trunc(+$("length").value) || 0)), variant: $("variant").value, event: $("event").value, date: $("date").value, crawford: $("crawford").checked, jacoby: $("jacoby").checked };
  look(false);
});
$("match").addEventListener("submit", (event) => event.preventDefault());
const report = once(async () => (location.href = `/reports/${(await ask("/transcripts/report", script)).key}`));
$("report").addEventListener("click", () => inTurn(report));
$("fresh").addEventListener("click", async () => {
  if (script.lines.length && !(await question(t("transcribe.fresh_title"), t("transcribe.fresh_text"), [["", t("transcribe.not")], ["yes", t("transcribe.fresh")]]))) return;
  script = { ...EMPTY, names: script.names, length: script.length };
  fields();
  go(0);
});
$("insert").addEventListener("click", () => {
  inserting = !inserting;
  go(at);
});
$("remove").addEventListener("click", () => {
  script = { ...script, lines: script.lines.filter((_, index) => index !== at) };
  go(at);
});
$("end").addEventListener("click", () => ((inserting = false), go(script.lines.length)));
onKeys((event) => {
  const other = /** @type {HTMLElement | null} */ ($("actions").querySelector("#begins"));
  if (event.key === "x" && other) return event.preventDefault(), other.click();
  if (event.key !== "Backspace") return;
  event.preventDefault();
  if (entry?.moves.length) step({ do: "back" });
  else if (dice) (dice = null), look();
  else if (at >= script.lines.length && at) {
    script = { ...script, lines: script.lines.slice(0, -1) };
    go(at - 1);
  }
}, (on) => on === $("typed") && !$("typed").value);

// It is kept by this browser as it stands, one match for all windows: what another has changed is not written over.
/** As this window has seen it last. @type {string} */
let kept = store.read("transcript", "localStorage");
function keep() {
  if (follow()) return;
  store.write("transcript", JSON.stringify(script), "localStorage");
  kept = store.read("transcript", "localStorage");
}
/** @returns {Transcript} */
const stored = () => ({ ...EMPTY, ...store.object("transcript", "localStorage") });
/** What the rules make of a match; texts of one and the same differ. @param {Transcript} match */
const said = async (match) => JSON.stringify([match.lines.length, (await ask("/transcripts", { transcript: match })).lines]);
/** Takes over what another window has changed; whether there was anything. */
function follow() {
  const now = store.read("transcript", "localStorage");
  if (now === kept) return false;
  kept = now;
  script = stored();
  fields();
  say(t("transcribe.followed"), true);
  go(script.lines.length, false);
  return true;
}
const wanted = new URLSearchParams(location.search).get("report");
const { formats, variants } = await ask("/about");
$("variant").append(...variants.map((each) => option(each, t(`variant.${each}`))));
saveChoice($("save"), formats, "–", (form) => inTurn(async () => saveFile(await ask("/transcripts/file", { transcript: script, form }), $("save"), form)));
let corrects = false;
try {
  script = stored();
  if (wanted) {
    const other = await ask(`/reports/${wanted}/transcript`), same = (await said(other)) === (await said(script));
    corrects = same || !script.lines.length || !!(await question(t("transcribe.instead"), t("transcribe.fresh_text"), [["", t("transcribe.not")], ["yes", t("live.transcribe")]]));
    if (corrects && !same) script = other;
    history.replaceState(null, "", "/transcribe");
  }
} catch (error) {
  failed(error);
}
fields();
go(corrects ? 0 : script.lines.length, false);
addEventListener("storage", (event) => event.key === "transcript" && inTurn(follow));
