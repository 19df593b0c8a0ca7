// The first page: a new game, and those of before.
import { $, ask, element, failed } from "/static/common.js";
import { languageChoice, locale, t, term } from "/static/words.js";

const title = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

const VALUES = /** @type {const} */ (["opponent", "length", "variant", "name", "minutes"]), FLAGS = /** @type {const} */ (["by_hand", "cube", "crawford", "jacoby", "tutor"]);

ask("/about").then((about) => {
  const person = [["person", t("home.person")], ["invited", t("home.invited")]];
  $("opponent").append(element("optgroup", { label: "Sixprime" }, ...about.opponents.map((name) => element("option", { value: name, selected: name === "expert" }, title(term(name))))),
    element("optgroup", { label: t("home.people") }, ...person.map(([value, text]) => element("option", { value }, text))));
  $("variant").append(...about.variants.map((name) => element("option", { value: name }, t(`variant.${name}`))));
  const last = JSON.parse(localStorage.getItem("game") || "{}");
  for (const name of VALUES) if (typeof last[name] === "string") $(name).value = last[name];
  for (const name of FLAGS) if (typeof last[name] === "boolean") $(name).checked = last[name];
}).catch(failed);

ask("/sittings").then(({ sittings }) => {
  $("none").hidden = sittings.length > 0;
  $("games").append(...sittings.map((each) => element("li", {}, element("a", { href: `/play/${each.key}` },
    element("b", {}, each.names.join(" – ")), element("span", {}, `${each.score.join("–")}${each.length ? ` / ${each.length}` : ""}`),
    element("small", {}, `${t(each.over ? "home.finished" : "home.goes_on")}, ${new Date(each.played).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" })}`)))));
}).catch(failed);

languageChoice($("language"));
$("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const values = Object.fromEntries(VALUES.map((id) => [id, $(id).value]));
  const flags = Object.fromEntries(FLAGS.map((id) => [id, $(id).checked]));
  localStorage.setItem("game", JSON.stringify({ ...values, ...flags }));
  try {
    const opened = await ask("/sittings", { ...values, ...flags, length: +values.length, minutes: +values.minutes || null, name: values.name || (values.opponent === "invited" ? "" : t("you")), position: $("position").value.trim() });
    location.href = `/play/${opened.key}`;
  } catch (error) {
    failed(error);
  }
});
