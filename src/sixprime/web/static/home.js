// The first page: a new game, and those of before.
import { $, ask, element, failed } from "/static/common.js";

const VARIANTS = { standard: "Backgammon", nackgammon: "Nackgammon" };
const title = (text) => text[0].toUpperCase() + text.slice(1);

ask("/about").then((about) => {
  const person = [["person", "Somebody beside me"], ["invited", "Somebody I invite by a link"]];
  $("opponent").append(element("optgroup", { label: "Sixprime" }, ...about.opponents.map((name) => element("option", { value: name, selected: name === "expert" }, title(name)))),
    element("optgroup", { label: "People" }, ...person.map(([value, text]) => element("option", { value }, text))));
  $("variant").append(...about.variants.map((name) => element("option", { value: name }, VARIANTS[name] || title(name))));
  const last = JSON.parse(localStorage.getItem("game") || "{}");
  for (const [name, value] of Object.entries(last)) if ($(name)) typeof value === "boolean" ? ($(name).checked = value) : ($(name).value = value);
}).catch(failed);

ask("/sittings").then(({ sittings }) => {
  $("none").hidden = sittings.length > 0;
  $("games").append(...sittings.map((each) => element("li", {}, element("a", { href: `/play/${each.key}` },
    element("b", {}, each.names.join(" – ")), element("span", {}, `${each.score.join("–")}${each.length ? ` of ${each.length}` : ""}`),
    element("small", {}, `${each.over ? "finished" : "goes on"}, ${new Date(each.played).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`)))));
}).catch(failed);

$("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const values = Object.fromEntries(["opponent", "length", "variant", "name", "minutes"].map((id) => [id, $(id).value]));
  const flags = Object.fromEntries(["cube", "crawford", "jacoby", "tutor"].map((id) => [id, $(id).checked]));
  localStorage.setItem("game", JSON.stringify({ ...values, ...flags }));
  try {
    const opened = await ask("/sittings", { ...values, ...flags, length: +values.length, minutes: +values.minutes || null, position: $("position").value.trim() });
    location.href = `/play/${opened.key}`;
  } catch (error) {
    failed(error);
  }
});
