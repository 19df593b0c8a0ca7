// The matches that are kept, their players, and positions found by drawing what they have.
import { $, ask, diceOf, element, failed, fill, followOthers, keepFocus, option, press, pressed, question, receive, signed, tellOthers } from "/static/common.js";
import { Board, edited, svg } from "/static/board.js";
import { day, many, matchTo, t, term, versus } from "/static/words.js";

/** @import { Asked, Shelf, Shelved, Standing } from "messages" */

const empty = () => ({ counts: [Array(26).fill(0), Array(26).fill(0)], mover: 0, cube: 0, owner: null, dice: null, doubled: false, score: [0, 0], length: 0, crawford: false, jacoby: true, beavers: 3, cube_limit: 1, chequers: 15 });
let mask = empty();
const board = new Board($("board"), { edit: (point, who, other) => {
  // A mask has chequers on points and on the bar, none that are off.
  if (point === 0) return;
  mask = edited(mask, point, who, other !== pressed($("side")));
  draw();
} });
const draw = () => board.show({ board: mask, bottom: 0, edit: true, mask: true, names: [t("library.decides"), t("analyse.opponent")] });
const rate = (/** @type {number | null} */ pr) => (pr === null ? "–" : pr.toFixed(1));

/** @param {string} checksum */
async function open(checksum, turn = /** @type {[number, number] | null} */ (null)) {
  try {
    const { key, place } = await ask("/library/open", { checksum, turn });
    location.href = `/reports/${key}${place ? `#${place}` : ""}`;
  } catch (error) {
    failed(error);
  }
}
/** @param {Shelved} match */
async function remove({ checksum, names }) {
  if (!(await question(t("library.remove_title"), versus(names), [["", t("library.not")], ["yes", t("library.remove")]]))) return;
  ask("/library/remove", { checksum }).then(again).then(tellOthers).catch(failed);
}
const again = (/** @type {Shelf} */ shelf) => keepFocus(() => show(shelf), () => $("matches").querySelector("tr:not([hidden]) button[aria-label]") || $("side"));
followOthers(() => ask("/library").then(again));
let shown = "";
/** Shows the matches that are looked for. */
function narrow() {
  const wanted = $("filter").value.trim().toLowerCase();
  for (const row of $("matches").tBodies[0].rows) row.hidden = !(row.textContent || "").toLowerCase().includes(wanted);
}
/** @param {Shelf} shelf */
function show(shelf) {
  if (shown === (shown = JSON.stringify(shelf))) return;
  const { matches, players } = shelf;
  $("none").hidden = matches.length > 0;
  $("matches").hidden = !matches.length;
  $("filter-label").hidden = matches.length < 10 && !$("filter").value;
  fill($("matches"), matches.map((each) => element("tr", {},
    element("td", {}, each.whole ? element("button", { class: "link", onclick: () => open(each.checksum) }, versus(each.names)) : element("span", {}, versus(each.names)), element("small", {}, [t("library.match", { number: each.number }), each.date && day(each.date), matchTo(each.length), each.event].filter(Boolean).join(", "))),
    element("td", { class: "end" }, each.pr.map(rate).join(" – ")),
    element("td", { class: "end" }, element("button", { class: "link", "aria-label": t("library.remove_one", { names: versus(each.names) }), onclick: () => remove(each) }, "×")))));
  narrow();
  $("everybody").hidden = !players.length;
  fill($("players"), players.map((each) => element("tr", {},
    element("td", {}, each.trend.length > 1 ? element("button", { class: "link", onclick: () => trend(each) }, each.name) : each.name),
    element("td", { class: "end" }, `${each.won} / ${each.won + each.lost}`), element("td", { class: "end" }, rate(each.pr)), element("td", { class: "end" }, signed(each.luck, 2)))));
  $("names").replaceChildren(...players.map(({ name }) => option(name, "")));
  const best = players.find((each) => each.trend.length > 1);
  $("trend").hidden = !best;
  if (best) trend(best);
  $("went").hidden = !players.some((each) => each.decisions);
  $("sums-player").replaceChildren(...players.filter((each) => each.decisions).map(({ name }) => option(name, name)), option("", t("library.all")));
  if (!$("went").hidden) sums();
}

// How somebody went on: the PR of every match as a dot, the mean so far as a line.

/** @param {Standing} player */
function trend({ name, trend: points }) {
  const [width, height, left, bottom, top] = [560, 220, 34, 190, 14];
  const most = Math.max(5, ...points.map(([, mean]) => 1.3 * mean), ...points.map(([pr]) => pr).sort((a, b) => a - b).slice(0, Math.ceil(0.9 * points.length)));
  const x = (/** @type {number} */ i) => left + ((width - left - 12) * i) / Math.max(1, points.length - 1), y = (/** @type {number} */ pr) => bottom - ((bottom - top) * Math.min(pr, most)) / most;
  const said = t("library.trend", { name, count: points.length, mean: rate(points[points.length - 1][1]) });
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": said, class: "trend" });
  const step = [1, 2, 5, 10, 20, 50, 100, 500].find((each) => most / each <= 5) || most;
  for (let pr = 0; pr <= most; pr += step) drawn.append(svg("path", { class: "grid", d: `M${left} ${y(pr)}H${width - 12}` }), svg("text", { x: left - 6, y: y(pr) + 4, "text-anchor": "end" }, String(pr)));
  drawn.append(svg("polyline", { class: "mean", points: points.map(([, mean], i) => `${x(i)},${y(mean)}`).join(" ") }));
  points.forEach(([pr, mean], i) => {
    const dot = svg("circle", { class: "dot", cx: x(i), cy: y(pr), r: 4 });
    dot.append(svg("title", {}, `PR ${pr.toFixed(1)}, ${t("library.mean")} ${mean.toFixed(1)}`));
    drawn.append(dot);
  });
  drawn.append(svg("text", { x: left, y: height - 6 }, t("library.first")), svg("text", { x: width - 12, y: height - 6, "text-anchor": "end" }, t("library.latest")));
  $("trend").hidden = false;
  $("trend").replaceChildren(drawn, element("figcaption", {}, said));
}

// Where equity went.

const named = (/** @type {string} */ by, /** @type {string} */ name) =>
  by === "phase" || by === "plan" ? t(`${by}.${name.replace(/\W/, "_")}`) : by === "kind" ? t(`library.${name}s`) : name === "money" ? t("home.money") : name;
async function sums() {
  try {
    const by = /** @type {NonNullable<Asked.SumsAsked["by"]>} */ ($("by").value);
    const { groups, all } = await ask("/library/sums", { player: $("sums-player").value, by });
    $("sums-by").textContent = $("by").selectedOptions[0].textContent;
    $("sums").hidden = !all.decisions;
    $("no-sums").hidden = all.decisions > 0;
    const row = (/** @type {string} */ name, /** @type {typeof all} */ { decisions, errors, pr, error }, heading = /** @type {"td" | "th"} */ ("td")) => element("tr", {},
      element(heading, {}, name), ...[String(decisions), String(errors), rate(pr), error.toFixed(2)].map((text) => element("td", { class: "end" }, text)));
    fill($("sums"), [...groups.map((each) => row(named(by, each.name), each)), row(t("library.all"), all, "th")]);
  } catch (error) {
    failed(error);
  }
}
$("sums-of").addEventListener("change", sums);
$("sums-of").addEventListener("submit", (event) => event.preventDefault());

// Positions

const FIELDS = /** @type {const} */ (["fit", "dice", "kind", "phase", "plan", "least", "player"]);
const PART = 50, MOST = 10_000;

/** Finds what is asked for, and shows the first of it; again: it is in the address already, or more of it. */
async function find(count = PART, again = false) {
  const dice = diceOf($("dice").value);
  try {
    if ($("dice").value.trim() && !dice) throw new Error(t("analyse.dice_wrong"));
    /** @type {Asked.SearchAsked} */
    const asked = { counts: mask.counts, exact: $("fit").value === "exact", like: $("fit").value === "like", phase: /** @type {Asked.SearchAsked["phase"]} */ ($("phase").value), plan: /** @type {Asked.SearchAsked["plan"]} */ ($("plan").value), dice, kind: /** @type {Asked.SearchAsked["kind"]} */ ($("kind").value), least: +$("least").value || 0, player: $("player").value, count };
    const kept = `#${new URLSearchParams([["mask", mask.counts.flat().map((each) => each.toString(16)).join("")], ...FIELDS.map((id) => [id, $(id).value]), ["count", String(count)]])}`;
    const { found, all, searched } = await ask("/library/positions", asked);
    $("count").textContent = [t("library.count", { all, searched }), found.length < all ? t("library.shown", { shown: found.length }) : ""].join(" ").trim();
    const before = again ? $("found").childElementCount : 0;
    $("found").replaceChildren(...found.map((each, index) => element("li", {}, element("button", { class: "row", onclick: () => (history.replaceState(index, ""), open(each.checksum, [each.index, each.action])) },
      element("b", {}, [each.dice, term(each.chosen) || t("play.no_move")].filter(Boolean).join(": ")), element("span", {}, each.error ? signed(-each.error) : ""), each.distance === null ? "" : element("small", {}, many("library.pips", each.distance)),
      element("small", {}, `${t("library.match", { number: each.match })}, ${versus(each.names)}, ${t("play.number", { number: each.game })}, ${t("library.move", { number: each.move })}; ${each.names[each.player]}${each.error ? `; ${t("tutor.better", { play: term(each.best) })}` : ""}`)))));
    keepFocus(() => ($("more").hidden = found.length >= Math.min(all, MOST)), () => row(before));
    // The address has the search, for whoever comes back.
    if (kept !== location.hash) history[again || !location.hash ? "replaceState" : "pushState"](null, "", kept);
  } catch (error) {
    // What was found before is no answer to this.
    $("count").textContent = "";
    $("found").replaceChildren();
    $("more").hidden = true;
    failed(error);
  }
}
/** @param {number} index @returns {HTMLElement | null | undefined} */
const row = (index) => $("found").children[index]?.querySelector("button");
/** The search of the address, and the place in what it found from which somebody comes back. */
async function restore() {
  const kept = new URLSearchParams(location.hash.slice(1)), drawn = kept.get("mask") || "", place = history.state;
  if (!/^[0-9a-f]{52}$/.test(drawn)) return;
  const counts = [...drawn].map((each) => parseInt(each, 16));
  mask = { ...empty(), counts: [counts.slice(0, 26), counts.slice(26)] };
  draw();
  for (const id of FIELDS) $(id).value = kept.get(id) || "";
  await find(+(kept.get("count") || PART), true);
  if (place !== null) row(place)?.focus();
}
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  find();
});
$("more").addEventListener("click", () => find(Math.min(MOST, 2 * $("found").childElementCount), true));
addEventListener("hashchange", restore);
$("side").addEventListener("click", () => press($("side")));
$("clear").addEventListener("click", () => ((mask = empty()), draw()));
$("filter").addEventListener("input", narrow);
draw();
restore();
ask("/library").then(show).catch(failed);
receive();
