// A position: read, edited, played on in variations, judged ever deeper and rolled out.
import { $, API, ask, copy, element, failed, lookDialogue, me, percent, question, receive, save, say, signed } from "/static/common.js";
import { Board, edited } from "/static/board.js";
import { Tree } from "/static/tree.js";
import { many, t, term } from "/static/words.js";

const FORMAT = "sixprime-variations";
const START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10";
let shown = null, entry = null, editing = false, stream = null, plays = {}, themes = ["auto"], last = Promise.resolve();

// What is asked of the server is asked in turn, as every answer is about the one before.
const inTurn = (work) => (last = last.then(work).catch(failed));

/** asked: what to ask for, of the position that is shown by then; path: of whom; put: where it goes in the tree. */
function read(asked, judge = true, path = "/positions", put = (next) => tree.change(next)) {
  return inTurn(async () => {
    const next = await ask(path, asked(shown?.board));
    put(next);
    const made = next.board.dice && !next.problems.length && !editing ? await enter({ do: "show", moves: [] }, next.board) : null;
    [shown, entry, plays] = [next, made, {}];
    forget();
    draw();
    fields();
    history.replaceState(null, "", shown.xgid ? `#${encodeURIComponent(shown.xgid)}` : "#");
    for (const kind of ["svg", "png"]) $(kind).href = `${API}/pictures/board.${kind}?id=${encodeURIComponent(shown.xgid)}`;
    if (judge) analyse();
  });
}
// Another position, which ends the editing of this one.
function open(text) {
  setEditing(false);
  return read(() => ({ text }), true, "/positions", (next) => tree.begin(next)).then(() => recall());
}
// What was tried here before comes back beside what is shown.
function recall() {
  return shown?.xgid && tree.empty && tree.known(shown.xgid).then((node) => node && tree.visit(node)).catch(failed);
}
// What comes of a play, or of the cube: a variation.
function goOn(what) {
  setEditing(false);
  const play = entry?.play || "", dice = shown.board.dice;
  const label = what === "play" ? `${[...dice].sort((a, b) => b - a).join("")}: ${play || t("play.no_move")}` : t(`act.${what}`);
  return read((board) => ({ board, do: what, play }), true, "/positions/after", (next) => tree.grow(next, label));
}
function visit(node) {
  setEditing(false);
  return read(() => ({ board: node.board }), true, "/positions", () => tree.visit(node));
}
function enter(more, board = shown.board) {
  const dice = (board === shown?.board && entry?.dice) || [...board.dice].sort((a, b) => b - a);
  return ask("/positions/entry", { dice, moves: entry?.moves || [], board, ...more });
}
// One further step of the play, unless another position has come meanwhile.
function make(more, ways = []) {
  const of = shown;
  return inTurn(async () => {
    if (of !== shown || !entry) return;
    entry = await enter(more);
    draw(ways);
    mark();
  });
}
const step = (start, end) => make({ do: "move", start, end }, [[shown.board.mover, start, end]]);
const finish = () => entry && (entry.done ? goOn("play") : make({ do: "swap" }));
function draw(ways = []) {
  board.show({ board: shown.board, bottom: tree.side, entry, plays: entry?.moves.length ? {} : plays, edit: editing }, ways);
  const { pips, problems } = shown;
  $("prompt").textContent = problems.length ? problems[0] : editing ? t("analyse.editing") : entry?.moves.length ? entry.play : shown.board.doubled ? t("analyse.doubled", { cube: shown.board.cube }) : `${t("analyse.to_roll", { side: t(shown.board.mover ^ board.ink ? "analyse.side_dark" : "analyse.side_light") })} ${t("analyse.pips", { mine: pips[0], theirs: pips[1] })}` + (shown.board.dice ? ` ${many("analyse.plays", shown.plays)}` : "");
  $("prompt").classList.toggle("problem", problems.length > 0);
  $("undo").hidden = !entry?.moves.length;
  $("go").hidden = editing || !entry?.done;
  const b = shown.board, sound = !problems.length && !editing;
  $("double").hidden = !(sound && !b.dice && !b.doubled && b.cube && !b.crawford && (b.owner === null || b.owner === b.mover));
  $("take").hidden = !(sound && b.doubled);
  document.body.dataset.xgid = shown.xgid;
}

// Editing

const edit = (point, who, other) => read((board) => ({ board: edited(board, point, who, other !== ($("side").getAttribute("aria-pressed") === "true")) }), false);
const change = (changes) => shown && read((board) => ({ board: { ...board, ...changes } }));
const board = new Board($("board"), { move: step, dice: finish, edit });
function fields() {
  const b = shown.board;
  // What somebody is typing stays.
  if (document.activeElement !== $("dice")) $("dice").value = b.dice ? b.dice.join("") : "";
  $("cube").value = b.cube;
  $("owner").value = b.owner === null ? "" : b.owner === b.mover ? "0" : "1";
  $("length").value = b.length;
  $("mine").value = b.score[b.mover];
  $("theirs").value = b.score[1 - b.mover];
  $("crawford").checked = b.crawford;
  $("jacoby").checked = b.jacoby;
}
$("cube").append(...Array.from({ length: 11 }, (_, i) => element("option", { value: 2 ** i }, String(2 ** i))));
$("state").addEventListener("change", () => {
  if (!shown) return;
  const mover = shown.board.mover, score = mover ? [+$("theirs").value, +$("mine").value] : [+$("mine").value, +$("theirs").value];
  const owner = $("owner").value === "" ? null : $("owner").value === "0" ? mover : 1 - mover;
  change({ cube: +$("cube").value, owner, length: +$("length").value, score, crawford: $("crawford").checked, jacoby: $("jacoby").checked });
});
$("state").addEventListener("submit", (event) => event.preventDefault());
$("dice").addEventListener("change", () => {
  const found = $("dice").value.match(/^\s*([1-6])[ -]?([1-6])\s*$/);
  if ($("dice").value.trim() && !found) return failed(new Error(t("analyse.dice_wrong")));
  change({ dice: found ? [+found[1], +found[2]] : null, doubled: false });
});
function setEditing(on) {
  editing = on;
  $("edit").setAttribute("aria-pressed", editing);
  $("state").hidden = $("clear").hidden = $("side").hidden = !editing;
  $("roll").disabled = editing;
}
$("side").addEventListener("click", () => $("side").setAttribute("aria-pressed", $("side").getAttribute("aria-pressed") !== "true"));
$("edit").addEventListener("click", () => {
  if (!shown) return;
  setEditing(!editing);
  change({});
});
$("undo").addEventListener("click", () => make({ do: "back" }));
$("clear").addEventListener("click", () => shown && read((board) => ({ board: { ...board, counts: [Array(26).fill(0), Array(26).fill(0)] } }), false));
$("start").addEventListener("click", () => read(() => ({ text: START }), true, "/positions", (next) => tree.begin(next)).then(() => recall()));
$("swap").addEventListener("click", () => shown && change({ mover: 1 - shown.board.mover, dice: shown.board.dice, doubled: false }));

// Analysis

function stop() {
  stream?.close();
  stream = null;
  $("stop").disabled = true;
}
// What was found out about another position.
function forget() {
  stop();
  $("result").replaceChildren();
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
  const asked = new URLSearchParams({ id: shown.xgid, plies: $("plies").value, trials, count: 3, page: me, chequers: shown.board.chequers });
  stream = new EventSource(`${API}/analysis?${asked}`);
  $("stop").disabled = false;
  $("depth").textContent = t("engine.looks");
  stream.onmessage = (event) => {
    const piece = JSON.parse(event.data);
    if (piece.kind === "end") return stop();
    if (piece.kind === "problem") return failed(new Error(piece.message));
    SHOW[piece.kind](piece);
  };
  // A connection that was cut goes on by itself, where it was.
  const own = stream;
  stream.onerror = async () => {
    if (own.readyState !== EventSource.CLOSED || own !== stream) return;
    stop();
    const answer = await fetch(own.url).catch(() => null);
    if (answer?.ok) return void answer.body.cancel();
    failed(new Error(answer ? (await answer.json()).error.message : t("error.silent")));
  };
}
const rowOf = (play, main, loss, chances, note) => {
  const made = element("li", { "data-play": play }, element("button", {}, element("b", {}, term(play) || t("play.no_move")), element("span", {}, loss), element("small", {}, chances), note ? element("em", {}, note) : null));
  made.firstChild.addEventListener("mouseenter", () => arrow(play));
  made.firstChild.addEventListener("mouseleave", () => arrow(""));
  made.firstChild.addEventListener("focus", () => arrow(play));
  made.firstChild.addEventListener("click", () => entry && make({ do: "text", text: play, moves: [] }));
  return made;
};
const six = ([win, gammon, , lose, lost]) => `${percent(win)} % (${percent(gammon)}) – ${percent(lose)} % (${percent(lost)})`;
const SHOW = {
  plays({ plies, plays: found }) {
    $("depth").textContent = `${plies}-ply`;
    plays = {};
    $("result").replaceChildren(element("ol", { class: "candidates" }, ...found.slice(0, 8).map((each, i) => {
      const [w, wg, wb, lg, lb] = each.probabilities;
      return rowOf(each.play, !i, i ? signed(-each.equity_loss) : signed(each.equity), six([w, wg, wb, 1 - w, lg, lb]), `${each.plies}-ply`);
    })));
    mark();
  },
  cube({ plies, rows, best, chances, cube }) {
    $("depth").textContent = `${plies}-ply: ${term(cube.action)}`;
    const body = element("tbody", {}, ...rows.map(([name, equity, mwc], i) => element("tr", { class: i === best ? "best" : "" }, element("th", { scope: "row" }, term(name)), element("td", {}, signed(equity)), element("td", {}, mwc === null ? "" : `${percent(mwc)} %`))));
    $("result").replaceChildren(element("table", { class: "cube" }, body), element("p", {}, six(chances)),
      cube.take_points ? element("p", { class: "quiet" }, t("analyse.take_points", { dead: percent(cube.take_points[0]), live: percent(cube.take_points[1]) })) : "");
  },
  rollout({ wanted, rollout }) {
    $("depth").textContent = t("analyse.rolled_out", { done: rollout.trials, wanted }) + (rollout.action ? `: ${term(rollout.action)}` : "");
    $("result").dataset.trials = rollout.trials;
    $("result").replaceChildren(element("ol", { class: "candidates" }, ...rollout.alternatives.map((each) => {
      const [w, wg, wb, lg, lb] = each.probabilities;
      const half = each.equity_error === null ? "" : ` ± ${(1.96 * each.equity_error).toFixed(3)}`;
      return rowOf(each.play ?? each.label, true, `${signed(each.equity)}${half}`, six([w, wg, wb, 1 - w, lg, lb]), "");
    })));
  },
};
function arrow(play) {
  plays = play && shown.board.dice ? { best: play } : {};
  if (!entry?.moves.length) draw();
}
function mark() {
  for (const row of $("result").querySelectorAll("[data-play]")) row.classList.toggle("made", !!entry?.done && row.dataset.play === entry.play);
}
// Of the position that has been asked for last, though it may not be here yet.
$("roll").addEventListener("click", () => inTurn(() => analyse(+$("trials").value)));
$("stop").addEventListener("click", () => (stop(), say(t("analyse.stopped"))));
$("plies").addEventListener("change", () => inTurn(() => analyse()));
for (const button of document.querySelectorAll("[data-map]"))
  button.addEventListener("click", () => {
    if (!shown) return;
    const name = button.textContent, picture = element("img", { src: `${API}/pictures/${button.dataset.map}.svg?id=${encodeURIComponent(shown.xgid)}`, alt: name });
    $("map").hidden = false;
    $("map").replaceChildren(element("p", { class: "quiet" }, t("engine.looks")));
    const of = shown, put = (made) => of === shown && $("map").replaceChildren(made);
    picture.addEventListener("load", () => put(picture));
    picture.addEventListener("error", () => put(element("p", { class: "quiet" }, t("analyse.no_picture", { name }))));
  });
for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => (shown?.[button.dataset.copy] ? copy(shown[button.dataset.copy], button.textContent) : failed(new Error(t("analyse.no_id")))));
$("paste").addEventListener("submit", (event) => (event.preventDefault(), open($("text").value)));
$("text").addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text");
  if (text.includes("\n")) event.preventDefault(), open(text);
});
$("look").addEventListener("click", () => lookDialogue(themes));
addEventListener("look", () => shown && draw());
addEventListener("keydown", (event) => {
  if (event.target.matches?.("input, textarea, select") || event.ctrlKey || event.metaKey) return;
  if (event.key === "u") $("undo").click();
  if (event.key === "b") $("back").click();
  if (event.key === "Enter" && !event.target.matches?.("button, a, [role=button]") && !$("go").hidden) $("go").click();
});
addEventListener("pagehide", stop);
const linked = () => decodeURIComponent(location.hash.slice(1)) || START;
addEventListener("hashchange", () => open(linked()));
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
  if (tree.here?.parent) return visit(tree.cut());
  if (tree.empty || !(await question(t("analyse.cut_all"), "", [["", t("library.not")], ["yes", t("analyse.cut")]]))) return;
  Object.assign(tree.root, { children: [], comment: "" });
  visit(tree.root);
});
$("go").addEventListener("click", () => goOn("play"));
$("double").addEventListener("click", () => goOn("double"));
$("take").addEventListener("click", () => goOn("take"));
$("outline").addEventListener("click", () => inTurn(async () => copy((await ask("/variations/text", tree.plain())).text, t("analyse.variations"))));
$("save").addEventListener("click", () => save("variations.json", JSON.stringify({ format: FORMAT, ...tree.plain() }), "application/json"));
/** Variations that were saved to a file come back from it, as others. */
function unpack(text) {
  const { format, ...tried } = JSON.parse(text);
  if (format !== FORMAT) throw new Error(t("analyse.no_file"));
  setEditing(false);
  tree.begin({ board: null, xgid: "" });
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
receive((text) => open(text), (text) => text.trimStart().startsWith("{") && text.includes(FORMAT) && (unpack(text), true));
const before = tree.restored(linked());
if (before) visit(before);
else open(linked());
