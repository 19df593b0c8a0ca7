// A position: read, edited, played on in variations, judged ever deeper and rolled out.
import { $, API, analysisOf, ask, compiles, copy, diceOf, element, failed, falling, keepFocus, lookDialogue, me, onKeys, option, patiently, percent, press, pressed, putProgress, putText, question, receive, save, say, signed, turns, whyRefused, within } from "/static/common.js";
import { Board, edited } from "/static/board.js";
import { Tree } from "/static/tree.js";
import { many, t, term } from "/static/words.js";

const FORMAT = "sixprime-variations";
/**
 * @import { Asked, Board as Position, Entered, Read } from "messages"
 * @import { Step } from "/static/board.js"
 * @import { Variation } from "/static/tree.js"
 */
/** The position; null before the first. @type {Read} */
let shown = /** @type {any} */ (null);
/** @type {Entered | null} */
let entry = null;
/** @type {EventSource | null} */
let stream = null;
/** @type {Record<string, string>} */
let plays = {};
/** The plays as they were searched. @type {any[]} */
let searched = [];
let editing = false, themes = ["auto"];

const inTurn = turns();

/**
 * @param {(board: Position) => Promise<Read>} asked what to ask for, of the position that is shown by then
 * @param {(next: Read) => unknown} put where it goes in the tree
 * @param {(error: Error) => unknown} wrong told why there is none
 */
function read(asked, judge = true, put = (next) => tree.change(next), wrong = failed) {
  return inTurn(async () => {
    const next = await asked(shown?.board);
    unread("");
    put(next);
    const made = next.board.dice && !next.problems.length && !editing ? await enter({ do: "show", moves: [] }, next.board) : null;
    [shown, entry, plays] = [next, made, {}];
    forget();
    draw();
    fields();
    history.replaceState(null, "", shown.xgid ? analysisOf(shown.xgid, shown.board.chequers) : "#");
    for (const kind of /** @type {const} */ (["svg", "png"])) $(kind).href = picture(`board.${kind}`);
    if (judge) analyse();
  }, wrong);
}
const picture = (/** @type {string} */ name) => `${API}/pictures/${name}?${new URLSearchParams({ id: shown.xgid, chequers: String(shown.board.chequers) })}`;
/** What a text shows: of the game that is named, unless there are more chequers than it has. */
async function find(/** @type {string} */ text, chequers = shown?.board.chequers ?? 15) {
  const found = await ask("/positions", { text, chequers });
  return fits(found.board, found.board.chequers) ? found : ask("/positions", { text });
}
/** The game with so many chequers, where it begins, with a roll. */
const start = (chequers = 15) => ask("/positions", { start: true, chequers });
const fits = (/** @type {Position} */ { counts }, /** @type {number} */ chequers) => counts.every((side) => side.reduce((a, b) => a + b) <= chequers);
/** Says why a text shows no position, until another one is shown. @param {string} why */
function unread(why) {
  $("unread").textContent = why;
  $("unread").hidden = !why;
  $("text").ariaInvalid = why ? "true" : null;
  if (why) $("unread").scrollIntoView({ block: "nearest" });
}
// Another position, which ends the editing of this one.
/** @param {string} text @param {boolean} back whether the button of the browser leads back from it to what is shown @param {number} [chequers] */
function open(text, back = false, chequers) {
  setEditing(false);
  return read(() => find(text, chequers), true, (next) => (back && keep(next), several(next.every), tree.begin(next)), (error) => {
    unread(error.message);
    // A page without any position is of no use.
    if (!shown) read(() => start(), true, (next) => (tree.begin(next), unread(error.message)));
  }).then(recall);
}
const keep = (/** @type {Read} */ next) => shown && (shown.xgid !== next.xgid || shown.board.chequers !== next.board.chequers) && history.pushState(null, "", location.href);
// The positions of a text that shows several, the first at first.
/** @param {string[]} every */
function several(every) {
  $("several").hidden = !every.length;
  $("which").replaceChildren(...every.map((xgid, i) => {
    const dice = xgid.split(":")[4] || "";
    return option(xgid, [t("analyse.nth", { number: i + 1, count: every.length }), /^[1-6]{2}$/.test(dice) ? dice : ""].filter(Boolean).join(": "));
  }));
  if (shown && every.includes(shown.xgid)) $("which").value = shown.xgid;
  bounds();
}
function bounds() {
  $("before").disabled = $("which").selectedIndex <= 0;
  $("after").disabled = $("which").selectedIndex >= $("which").length - 1;
}
function pick() {
  setEditing(false);
  keepFocus(bounds, () => $("which"));
  const text = $("which").value;
  return read(() => find(text), true, (next) => tree.begin(next)).then(recall);
}
$("which").addEventListener("change", pick);
for (const [id, by] of /** @type {const} */ ([["before", -1], ["after", 1]])) $(id).addEventListener("click", () => {
  $("which").selectedIndex += by;
  pick();
});
// What was tried here before comes back beside what is shown.
function recall() {
  if (shown?.xgid && tree.empty) tree.known(shown.xgid, shown.board.chequers).then((node) => node && tree.visit(node)).catch(failed);
}
/** The position that is gone on from, until what comes of it is here. @type {Read | null} */
let going = null;
// What comes of a play, or of the cube: a variation.
/** @param {"play" | "double" | "take"} what */
function goOn(what) {
  if (going === shown) return;
  going = shown;
  setEditing(false);
  const play = entry?.play || "";
  const label = what === "play" ? `${falling(shown.board.dice).join("")}: ${play || t("play.no_move")}` : t(`act.${what}`);
  return read((board) => ask("/positions/after", { board, do: what, play }), true, (next) => tree.grow(next, label)).finally(() => (going = null));
}
/** @param {Variation} node */
function visit(node) {
  setEditing(false);
  return read(() => ask("/positions", { board: node.board }), true, () => tree.visit(node));
}
/** @param {Partial<Asked.EntryAsked>} more */
function enter(more, board = shown.board) {
  const dice = (board === shown?.board && entry?.dice) || falling(board.dice);
  return ask("/positions/entry", { dice, moves: entry?.moves || [], board, ...more });
}
// One further step of the play, unless another position has come meanwhile.
/** @param {Partial<Asked.EntryAsked>} more @param {Step[]} ways */
function make(more, ways = []) {
  const of = shown;
  return inTurn(async () => {
    if (of !== shown || !entry) return;
    entry = await enter(more);
    draw(ways);
    mark();
  });
}
const step = (/** @type {number} */ start, /** @type {number} */ end) => make({ do: "move", start, end }, [[shown.board.mover, start, end]]);
const finish = () => entry && (entry.done ? goOn("play") : make({ do: "swap" }));
/** @param {Step[]} ways */
const draw = (ways = []) => keepFocus(() => drawAll(ways), () => $("prompt"));
/** @param {Step[]} ways */
function drawAll(ways) {
  board.show({ board: shown.board, bottom: tree.side, entry, plays: entry?.moves.length ? {} : plays, edit: editing }, ways);
  const { pips, problems } = shown;
  putText($("prompt"), problems.length ? problems[0] : editing ? t("analyse.editing") : entry?.moves.length ? entry.play : shown.board.doubled ? t("analyse.doubled", { cube: shown.board.cube }) : `${t("analyse.to_roll", { side: t(shown.board.mover ^ board.ink ? "analyse.side_dark" : "analyse.side_light") })} ${t("analyse.pips", { mine: pips[0], theirs: pips[1] })}` + (shown.board.dice ? ` ${many("analyse.plays", shown.plays)}` : ""));
  $("prompt").classList.toggle("problem", problems.length > 0);
  $("undo").hidden = !entry?.moves.length;
  $("go").hidden = editing || !entry?.done;
  const b = shown.board, sound = !problems.length && !editing;
  $("roll").disabled = !sound;
  $("double").hidden = !(sound && !b.dice && !b.doubled && canDouble(b));
  $("take").hidden = !(sound && b.doubled);
  document.body.dataset.xgid = shown.xgid;
}

// Editing

/** @type {(point: number, who: number, other: boolean) => unknown} */
const edit = (point, who, other) => read((board) => ask("/positions", { board: edited(board, point, who, other !== pressed($("side"))) }), false);
/** Whether the server has not taken what a field says: Enter asks again then. */
let untaken = false;
/** @param {Partial<Asked.Board>} changes */
function change(changes) {
  untaken = false;
  return shown && read((board) => ask("/positions", { board: { ...board, ...changes } }), true, undefined, (error) => {
    untaken = true;
    failed(error);
  });
}
const board = new Board($("board"), { move: step, dice: finish, edit });
function fields() {
  const b = shown.board;
  // What somebody is typing stays.
  const put = (/** @type {HTMLInputElement} */ field, /** @type {string | number} */ value) => field !== document.activeElement && (field.value = String(value));
  put($("dice"), b.dice ? b.dice.join("") : "");
  $("chequers").value = String(b.chequers);
  $("game").textContent = $("chequers").selectedOptions[0]?.textContent || "";
  $("game").hidden = b.chequers === 15;
  if (!$("cube").querySelector(`[value="${b.cube}"]`)) $("cube").append(option(b.cube, String(b.cube)));
  $("cube").value = String(b.cube);
  $("owner").value = b.owner === null ? "" : b.owner === b.mover ? "0" : "1";
  put($("length"), b.length);
  put($("mine"), b.score[b.mover]);
  put($("theirs"), b.score[1 - b.mover]);
  $("crawford").checked = b.crawford;
  $("jacoby").checked = b.jacoby;
}
$("chequers").append(...[15, 3, 2, 1].map((each) => option(each, t(each === 15 ? "variant.standard" : `variant.hypergammon${each}`))));
$("cube").append(option(0, t("analyse.none")), ...Array.from({ length: 16 }, (_, i) => option(2 ** i, String(2 ** i))));
function changeState() {
  if (!shown || !$("state").reportValidity()) return;
  const { mover, cube: before, cube_limit: limit } = shown.board, cube = +$("cube").value, score = mover ? [+$("theirs").value, +$("mine").value] : [+$("mine").value, +$("theirs").value];
  const owner = $("owner").value === "" ? null : $("owner").value === "0" ? mover : 1 - mover;
  // Whoever chooses a larger cube plays to a larger one.
  change({ cube, cube_limit: cube === before ? limit : Math.max(cube, before ? limit : 1024), owner, length: +$("length").value, score, crawford: $("crawford").checked, jacoby: $("jacoby").checked });
}
$("state").addEventListener("change", changeState);
// Another game: with the same chequers, if it has as many, and with variations of its own.
$("chequers").addEventListener("change", (event) => {
  event.stopPropagation();
  const chequers = +$("chequers").value;
  read((board) => (fits(board, chequers) ? ask("/positions", { board: { ...board, chequers } }) : start(chequers)), true, (next) => (keep(next), tree.begin(next)));
});
$("state").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
function changeDice() {
  const dice = diceOf($("dice").value);
  if ($("dice").value.trim() && !dice) return failed(new Error(t("analyse.dice_wrong")));
  change({ dice, doubled: false });
}
$("dice").addEventListener("change", changeDice);
for (const [place, again] of /** @type {[HTMLElement, () => unknown][]} */ ([[$("dice"), changeDice], [$("state"), changeState]])) place.addEventListener("keydown", ({ key }) => key === "Enter" && untaken && again());
/** @param {boolean} on */
function setEditing(on) {
  editing = on;
  press($("edit"), editing);
  $("state").hidden = $("clear").hidden = $("side").hidden = !editing;
}
$("side").addEventListener("click", () => press($("side")));
$("edit").addEventListener("click", () => {
  if (!shown) return;
  setEditing(!editing);
  change({});
});
$("undo").addEventListener("click", () => make({ do: "back" }));
$("clear").addEventListener("click", () => shown && read((board) => ask("/positions", { board: { ...board, counts: [Array(26).fill(0), Array(26).fill(0)] } }), false));
$("start").addEventListener("click", () => read((board) => start(board.chequers), true, (next) => (keep(next), tree.begin(next))).then(recall));
$("swap").addEventListener("click", () => shown && change({ mover: 1 - shown.board.mover, dice: shown.board.dice, doubled: false }));

// Analysis

function stop() {
  stream?.close();
  stream = null;
  $("compiling").hidden = true;
  keepFocus(() => ($("stop").disabled = true), () => $("roll"));
}
// What was found out about another position.
function forget() {
  stop();
  $("result").replaceChildren();
  searched = [];
  $("depth").textContent = "";
  $("map").hidden = true;
}
function analyse(trials = 0) {
  if (!shown || editing) return;
  stop();
  $("result").replaceChildren();
  delete $("result").dataset.trials;
  $("depth").textContent = "";
  if (shown.problems.length || !shown.xgid) return;
  const asked = new URLSearchParams({ id: shown.xgid, plies: $("plies").value, trials: String(trials), page: me, chequers: String(shown.board.chequers) });
  const own = (stream = new EventSource(`${API}/analysis?${asked}`));
  $("stop").disabled = false;
  putProgress($("depth"), t("engine.looks"), true);
  own.onmessage = (event) => {
    const piece = JSON.parse(event.data);
    if (piece.kind === "end") return stop();
    if (piece.kind === "problem") return refused(piece.message);
    SHOW[/** @type {keyof typeof SHOW} */ (piece.kind)](piece);
  };
  // A connection that was cut goes on by itself, where it was; until then it is said what it waits for.
  own.onerror = async () => {
    if (own !== stream) return;
    if (own.readyState !== EventSource.CLOSED) return void ask("/about").catch((error) => own === stream && putProgress($("depth"), error.message, true));
    stop();
    const why = await whyRefused(own);
    if (why) refused(why);
  };
}
/** Says why there is no analysis, or no more of it. @param {string} why */
function refused(why) {
  unfound(why);
  failed(new Error(why));
}
/** The engine looks no more, and has found nothing. @param {string} why */
const unfound = (why) => $("result").childElementCount || ($("depth").textContent = why);
/**
 * A row of the list: worth of a play, what it loses, and how it was found; apart: below those that were searched deeper.
 * @type {(play: string, equity: string, loss: string, how: string, chances: string, apart: boolean) => HTMLElement}
 */
const rowOf = (play, equity, loss, how, chances, apart) => {
  const button = element("button", {}, element("b", {}, term(play) || t("play.no_move")), element("span", {}, equity), element("small", {}, chances), element("em", {}, [loss, how].filter(Boolean).join(" · ")));
  button.addEventListener("mouseenter", () => arrow(play));
  button.addEventListener("mouseleave", () => arrow(""));
  button.addEventListener("focus", () => arrow(play));
  button.addEventListener("click", () => entry && make({ do: "text", text: play, moves: [] }));
  return element("li", { "data-play": play, class: apart ? "apart" : "" }, button);
};
/** Whether the player on roll can double. @param {Position} b */
const canDouble = (b) => !!b.cube && !b.crawford && (b.owner === null || b.owner === b.mover) && 2 * b.cube <= b.cube_limit && !(b.length && b.score[b.mover] + b.cube >= b.length);
/** Why he cannot. @param {Position} b */
const noCube = (b) => t(b.crawford ? "analyse.cube_crawford" : !b.cube ? "analyse.cube_none" : b.owner !== null && b.owner !== b.mover ? "analyse.cube_theirs" : 2 * b.cube > b.cube_limit ? "analyse.cube_limit" : "analyse.cube_dead");
const six = (/** @type {number[]} */ [win, gammon, , lose, lost]) => `${percent(win)}\u00a0%\u00a0(${percent(gammon)})\u00a0– ${percent(lose)}\u00a0%\u00a0(${percent(lost)})`;
const SHOW = {
  /** @param {{ percent: number | null }} piece */
  compiling({ percent }) {
    $("compiling").hidden = percent === null;
    $("compiling").textContent = percent === null ? "" : compiles(percent);
  },
  /** @param {{ plies: number, plays: any[] }} piece */
  plays({ plies, plays: found }) {
    $("depth").textContent = `${plies}-ply`;
    plays = {};
    searched = found;
    list(found.slice(0, 8).map((each, i) => ({ ...each, loss: i ? each.equity_loss : null, level: each.plies, how: `${each.plies}-ply` })));
  },
  /** @param {{ plies: number, rows: [string, number, number | null][], best: number, chances: number[], cube: any }} piece */
  cube({ plies, rows, best, chances, cube }) {
    $("depth").textContent = `${plies}-ply: ${cube.available ? term(cube.action) : noCube(shown.board)}`;
    const body = element("tbody", {}, ...rows.map(([name, equity, mwc], i) => element("tr", { class: i === best ? "best" : "" }, element("th", { scope: "row" }, term(name)), element("td", {}, signed(equity)), element("td", {}, mwc === null ? "" : `${percent(mwc)} %`))));
    $("result").replaceChildren(element("table", { class: "cube" }, body), element("p", {}, six(chances)),
      cube.take_points ? element("p", { class: "quiet" }, t("analyse.take_points", { dead: percent(cube.take_points[0]), live: percent(cube.take_points[1]) })) : "");
  },
  /** @param {{ wanted: number, rollout: any }} piece */
  rollout({ wanted, rollout }) {
    putProgress($("depth"), t("analyse.rolled_out", { done: rollout.trials, wanted }) + (rollout.action ? `: ${term(rollout.action)}` : ""), rollout.trials === wanted);
    $("result").dataset.trials = rollout.trials;
    /** @type {any[]} */
    const rolled = [...rollout.alternatives].sort((a, b) => a.equity_loss - b.equity_loss).map((each, i) => ({ ...each, play: each.play ?? each.label, loss: i ? each.equity_loss : null, level: Infinity, how: t("analyse.rolled"), half: each.equity_error }));
    // Below them those that are not rolled out, with what was known of them.
    const others = rollout.alternatives[0].play === null ? [] : searched.filter(({ play }) => !rolled.some((/** @type {any} */ each) => each.play === play));
    list([...rolled, ...others.slice(0, Math.max(0, 8 - rolled.length)).map((each) => ({ ...each, loss: Math.max(0, rolled[0].equity - each.equity), level: each.plies, how: `${each.plies}-ply` }))]);
  },
};
/** Candidates by how deeply they were searched, the deepest first; values of different depths do not compare. */
function list(/** @type {any[]} */ found) {
  $("result").replaceChildren(element("ol", { class: "candidates" }, ...found.map(({ play, equity, loss, level, how, half, probabilities: [w, wg, wb, lg, lb] }, i) =>
    rowOf(play, signed(equity) + within(half), loss === null ? "" : loss ? signed(-loss) : "0.000", how, six([w, wg, wb, 1 - w, lg, lb]), i > 0 && level < found[i - 1].level))));
  if (found.some((each, i) => i && each.equity > found[i - 1].equity && each.level < found[i - 1].level)) $("result").append(element("p", { class: "quiet" }, t("analyse.deeper_first")));
  mark();
}
/** @param {string} play */
function arrow(play) {
  plays = play && shown.board.dice ? { best: play } : {};
  if (!entry?.moves.length) draw();
}
function mark() {
  for (const row of /** @type {NodeListOf<HTMLElement>} */ ($("result").querySelectorAll("[data-play]"))) row.classList.toggle("made", !!entry?.done && row.dataset.play === entry.play);
}
// Of the position that has been asked for last, though it may not be here yet.
$("roll").addEventListener("click", () => inTurn(() => analyse(+$("trials").value)));
$("stop").addEventListener("click", () => (stop(), unfound(t("analyse.stopped")), say(t("analyse.stopped"))));
$("plies").addEventListener("change", () => inTurn(() => analyse()));
/** @type {(where: string) => NodeListOf<HTMLElement>} */
const buttons = (where) => document.querySelectorAll(where);
for (const button of buttons("[data-map]"))
  button.addEventListener("click", () => {
    if (!shown) return;
    const name = button.textContent || "", drawn = element("img", { src: picture(`${button.dataset.map}.svg`), alt: name });
    $("map").hidden = false;
    const waits = element("p", { class: "quiet" }, t("engine.looks"));
    $("map").replaceChildren(waits);
    const of = shown, put = (/** @type {HTMLElement} */ made) => of === shown && ($("map").replaceChildren(made), edges());
    const there = new Promise((done, lost) => (drawn.addEventListener("load", done), drawn.addEventListener("error", lost)));
    patiently(there, (said) => (waits.textContent = said)).then(() => put(drawn), () => put(element("p", { class: "quiet" }, t("analyse.no_picture", { name }))));
  });
// A picture that is wider than its place fades where it goes on.
function edges() {
  const { scrollLeft, clientWidth, scrollWidth } = $("map"), left = scrollLeft > 1, right = scrollLeft + clientWidth < scrollWidth - 1;
  $("map").dataset.more = `${left ? "left" : ""} ${right ? "right" : ""}`;
  $("sideways").hidden = !left && !right;
}
$("map").addEventListener("scroll", edges);
new ResizeObserver(edges).observe($("map"));
for (const button of buttons("[data-copy]"))
  button.addEventListener("click", () => {
    const id = shown?.[/** @type {"xgid" | "gnubg_id" | "ogid"} */ (button.dataset.copy)];
    if (id) copy(id, button.textContent || "");
    else failed(new Error(t("analyse.no_id")));
  });
$("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  if ($("text").value.trim()) return void open($("text").value, true);
  unread(t("analyse.nothing"));
  $("text").focus();
});
$("text").addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
  const text = event.clipboardData?.getData("text") || "";
  if (text.includes("\n")) event.preventDefault(), open(text, true);
});
$("look").addEventListener("click", () => lookDialogue(themes));
addEventListener("look", () => shown && draw());
onKeys((event, on) => {
  if (event.key === "u") $("undo").click();
  if (event.key === "b") $("back").click();
  if (event.key === "Enter" && !on.matches("button, a, [role=button]") && !$("go").hidden) $("go").click();
});
addEventListener("pagehide", stop);
/** The text in the address, without one the start, and how many chequers each side has. @returns {Promise<[string, number]>} */
async function linked() {
  const [text, chequers = 15] = location.hash.slice(1).split("&chequers=");
  try {
    return [decodeURIComponent(text) || (await start(+chequers)).xgid, +chequers];
  } catch {
    return [text, +chequers];
  }
}
const openLinked = async () => {
  const [text, chequers] = await linked();
  return open(text, false, chequers);
};
addEventListener("hashchange", () => {
  // What was pasted is not what is shown any more.
  $("text").value = "";
  openLinked();
});
ask("/about").then((about) => {
  themes = about.themes;
  $("png").hidden = !about.pictures;
}).catch(() => {});

// Variations

const tree = new Tree($("tree"), visit, () => {
  $("comment").value = tree.here?.comment || "";
  $("back").disabled = !tree.here?.parent;
  $("cut").disabled = !tree.here?.parent && tree.empty;
});
$("comment").addEventListener("input", () => tree.say($("comment").value));
$("back").addEventListener("click", () => tree.here?.parent && visit(tree.here.parent));
$("cut").addEventListener("click", async () => {
  const above = tree.cut(), { root } = tree;
  if (above) return visit(above);
  if (!root || tree.empty || !(await question(t("analyse.cut_all"), "", [["", t("library.not")], ["yes", t("analyse.cut")]]))) return;
  Object.assign(root, { children: [], comment: "" });
  visit(root);
});
$("go").addEventListener("click", () => goOn("play"));
$("double").addEventListener("click", () => goOn("double"));
$("take").addEventListener("click", () => goOn("take"));
$("outline").addEventListener("click", () => inTurn(async () => copy((await ask("/variations/text", tree.plain())).text, t("analyse.variations"))));
$("save").addEventListener("click", () => save("variations.json", JSON.stringify({ format: FORMAT, ...tree.plain() }), "application/json"));
/** Variations that were saved to a file come back from it, as others. */
function unpack(/** @type {string} */ text) {
  const { format, ...tried } = JSON.parse(text);
  if (format !== FORMAT) throw new Error(t("analyse.no_file"));
  setEditing(false);
  tree.begin({ board: /** @type {any} */ (null), xgid: "" });
  const put = { ...tried, key: tree.key, version: 0 };
  return inTurn(async () => {
    const { version } = await ask("/variations", put);
    visit(tree.take({ ...put, version }));
  });
}
$("forum").addEventListener("click", () => shown && inTurn(async () => {
  say(t("engine.looks"));
  copy((await ask("/positions/text", { board: shown.board, form: "xg" })).text, t("analyse.forum"));
}));
receive((text) => open(text, true), (text) => text.trimStart().startsWith("{") && text.includes(FORMAT) && (unpack(text), true));
const before = tree.restored(...await linked());
if (before) visit(before);
else openLinked();
