// The first page: a new game, and those of before.
import { $, ask, element, failed, followOthers, keepFocus, keptLine, once, option, receive, store, sure, tellOthers } from "/static/common.js";
import { languageChoice, many, moment, named, t, term, versus } from "/static/words.js";

/** @import { SettingsTold, Sittings } from "messages" */
const title = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

const VALUES = /** @type {const} */ (["opponent", "length", "variant", "name", "guest", "minutes", "delay", "beavers", "cube_limit"]), FLAGS = /** @type {const} */ (["loses", "by_hand", "cube", "crawford", "jacoby", "tutor"]);

/** What the settings say, for whoever has chosen nothing here yet. @param {SettingsTold} told @returns {Record<string, unknown>} */
function wished({ settings }) {
  const play = Object.fromEntries(settings.filter(({ name, value }) => name.startsWith("play.") && value !== null).map(({ name, value }) => [name.slice(5), value]));
  return { ...play, minutes: play.reserve, by_hand: play.dice === "manual", cube: play.cube_limit !== 1, cube_limit: play.cube_limit === 1 ? undefined : play.cube_limit };
}
Promise.all([ask("/about"), ask("/settings")]).then(([about, settings]) => {
  const person = [["person", t("home.person")], ["invited", t("home.invited")]];
  $("opponent").append(element("optgroup", { label: "Sixprime" }, ...about.opponents.map((name) => option(name, title(term(name)), name === "expert"))),
    element("optgroup", { label: t("home.people") }, ...person.map(([value, text]) => option(value, text))));
  $("player").append(...about.opponents.map((name) => option(name, title(term(name)))));
  $("variant").append(...about.variants.map((name) => option(name, t(`variant.${name}`))));
  const wish = wished(settings), last = { ...wish, ...store.object("game", "localStorage") };
  // What is set need not be among what is offered.
  const offered = (/** @type {"opponent" | "length" | "cube_limit"} */ id, /** @type {any} */ value, /** @type {string} */ text) => value === undefined || [...$(id).options].some((each) => each.value === String(value)) || $(id).append(option(value, text));
  offered("opponent", wish.opponent, String(wish.opponent));
  offered("length", last.length, many("points", Number(last.length)));
  offered("cube_limit", last.cube_limit, String(last.cube_limit));
  for (const name of VALUES) if (last[name] !== undefined) $(name).value = String(last[name]);
  for (const name of FLAGS) if (typeof last[name] === "boolean") $(name).checked = last[name];
  against();
  ofPosition();
  timed();
}).catch(failed);

const people = () => ["person", "invited"].includes($("opponent").value);
/** Somebody who plays elsewhere has to agree to hints, so that they are chosen anew every time. */
function against() {
  // Two programs are watched; people play themselves.
  const watched = $("player").value !== "";
  for (const each of /** @type {NodeListOf<HTMLOptionElement>} */ (document.querySelectorAll("#opponent [value=person], #opponent [value=invited]"))) each.disabled = watched;
  if (watched && people()) $("opponent").value = "expert";
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".people"))) each.hidden = !people();
  $("hints").checked = $("opponent").value !== "invited";
  helped();
}
const helped = () => void ($("tutor").disabled = $("player").value !== "" || (people() && !$("hints").checked));
$("opponent").addEventListener("change", against);
$("player").addEventListener("change", against);
$("hints").addEventListener("change", helped);

let listed = "";
/** The latest games, more of them on demand. */
async function games(count = 20) {
  const { sittings } = await ask("/sittings/latest", { count: count + 1 });
  if (listed === (listed = JSON.stringify([count, sittings]))) return;
  const at = [...$("games").children].findIndex((each) => each.contains(document.activeElement));
  $("none").hidden = sittings.length > 0;
  $("games").replaceChildren(...sittings.slice(0, count).map((each, number) => keptLine({
    href: `/play/${each.key}`, name: versus(named(each)), fact: `${each.score.join("–")}${each.length ? ` / ${each.length}` : ""}`,
    more: `${t(each.over ? "home.finished" : "home.goes_on")}, ${moment(each.played)}`,
  }, () => remove(each, number, count))));
  keepFocus(() => ($("older").hidden = sittings.length <= count), () => $("games").querySelector("li:last-child a"));
  if (at >= 0) focusLine(at);
}
/** @param {Sittings["sittings"][number]} game @param {number} number of its line @param {number} count of lines */
async function remove(game, number, count) {
  const { key, over } = game, said = versus(named(game));
  if (!(await sure(over ? said : t("home.remove_unfinished", { names: said })))) return;
  // Another window may have been quicker.
  await ask("/sittings/remove", { key }).catch((error) => error.code === "not_there" || failed(error));
  tellOthers();
  await games(count).catch(failed);
  focusLine(number);
}
/** Where the next game can be removed. @param {number} number */
function focusLine(number) {
  const left = /** @type {NodeListOf<HTMLElement>} */ ($("games").querySelectorAll("button"));
  (left[Math.min(number, left.length - 1)] || $("opponent")).focus();
}
followOthers(() => games(Math.max(20, $("games").childElementCount)));
$("older").addEventListener("click", () => games($("games").childElementCount + 20).catch(failed));
games().catch(failed);

/** The state of a position counts, if it has one; an ID of chequers alone leaves it to the form. */
function ofPosition() {
  const text = $("position").value.trim(), own = text !== "" && !/^[A-Za-z0-9+/]{14}$/.test(text);
  for (const id of /** @type {const} */ (["length", "points", "cube", "beavers", "crawford", "jacoby"])) $(id).disabled = own;
  $("cube_limit").disabled = own || !$("cube").checked;
  // A length of one's own, which is none that may be wrong while it is not seen.
  const listed = $("length").value !== "";
  $("longer").hidden = listed;
  $("points").disabled = own || listed;
  $("counts").hidden = !own;
}
/** Without a clock nothing is free of it. */
const timed = () => void ($("delay").disabled = $("loses").disabled = !+$("minutes").value);
$("minutes").addEventListener("input", timed);
timed();
for (const id of /** @type {const} */ (["position", "cube", "length"])) $(id).addEventListener("input", ofPosition);
ofPosition();
languageChoice($("language"));
// Nobody sees what is wrong in what is folded.
$("new").addEventListener("invalid", (event) => event.target instanceof Element && event.target.closest("details")?.setAttribute("open", ""), true);
const begin = once(async () => {
  const values = Object.fromEntries(VALUES.map((id) => [id, $(id).value]));
  values.length ||= $("points").value;
  const flags = Object.fromEntries(FLAGS.map((id) => [id, $(id).checked]));
  store.write("game", JSON.stringify({ ...values, ...flags }), "localStorage");
  const opened = await ask("/sittings", { ...values, ...flags, hints: people() ? $("hints").checked : null, length: +values.length, beavers: values.beavers === "" ? null : +values.beavers, cube_limit: +values.cube_limit, minutes: +values.minutes, delay: +values.delay, name: values.name || t(values.opponent === "invited" ? "home.a_host" : "you"), unnamed: !values.name, guest: values.guest || t("home.a_guest"), player: $("player").value, position: $("position").value.trim() });
  location.href = `/play/${opened.key}`;
});
$("new").addEventListener("submit", (event) => (event.preventDefault(), begin()));
receive();
