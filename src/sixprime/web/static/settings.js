// What this browser remembers, and all settings: the same tree as everywhere.
import { $, ask, element, failed, lookDialogue, option, receive, say } from "/static/common.js";
import { naming } from "/static/naming.js";
import { languageChoice, t } from "/static/words.js";

/** @type {Record<"sections" | "names" | "texts" | "built_in", Record<string, string>>} */
const said = naming;

/** A text as it is looked for: names are shown with spaces. */
const spoken = (/** @type {string} */ text) => text.toLowerCase().replaceAll("_", " ");
/** @param {string} name @param {string | null} value @param {HTMLElement} field */
async function set(name, value, field) {
  try {
    await ask("/settings", { name, value }, "PATCH");
    field.ariaInvalid = null;
    say(t("settings.set", { name: said.names[name] }));
  } catch (error) {
    field.ariaInvalid = "true";
    failed(error);
  }
}
ask("/settings").then(({ settings, writable }) => {
  $("readonly").hidden = writable;
  const sections = new Map();
  for (const each of settings) {
    const [section, key] = each.name.split(".");
    if (!sections.has(section)) sections.set(section, []);
    const id = `set-${each.name}`, name = said.names[each.name], text = said.texts[each.name], value = each.value === null ? "" : String(each.value);
    const field = each.kind === "flag"
      ? element("select", { id, disabled: !writable || !each.here }, ...[["", t("settings.built", { value: t(each.built_in === "true" ? "yes" : "no") })], ["true", t("yes")], ["false", t("no")]].map(([v, text]) => option(v, text, v === value)))
      : element("input", { id, value, placeholder: said.built_in[each.built_in] ?? each.built_in, disabled: !writable || !each.here, spellcheck: "false", inputmode: each.kind === "number" ? "decimal" : "text" });
    const put = () => set(each.name, field.value === "" ? null : field.value, field);
    field.addEventListener("change", put);
    // What was not taken is tried again, though it is the same text.
    field.addEventListener("keydown", (/** @type {any} */ { key }) => key === "Enter" && field.ariaInvalid && put());
    sections.get(section).push(element("div", { class: "setting", "data-said": spoken(`${each.name} ${each.text} ${name} ${text}`) }, element("label", { for: id }, element("b", {}, name), element("small", {}, text), spoken(name) === spoken(key) ? null : element("small", {}, element("code", { lang: "en" }, each.name)), each.here ? null : element("small", {}, t("settings.elsewhere"))), field));
  }
  $("sections").append(...[...sections].map(([name, rows]) => element("details", { open: name === "play" }, element("summary", {}, said.sections[name]), ...rows)));
  find();
}).catch(failed);

/** Shows what is looked for; what is typed before the settings are there is looked for then. */
function find() {
  const wanted = spoken($("find").value.trim());
  let found = 0;
  for (const section of $("sections").querySelectorAll("details")) {
    /** @type {HTMLElement[]} */
    const rows = [...section.querySelectorAll(".setting")].map((each) => /** @type {HTMLElement} */ (each));
    for (const row of rows) row.hidden = !row.dataset.said?.includes(wanted);
    found += rows.filter((row) => !row.hidden).length;
    section.hidden = rows.every((row) => row.hidden);
    if (wanted) section.open = !section.hidden;
  }
  $("found").textContent = found || !$("sections").children.length ? "" : t("settings.none_found");
}
$("find").addEventListener("input", find);
languageChoice($("language"));
let themes = ["auto"];
ask("/about").then((about) => (themes = about.themes)).catch(failed);
$("look").addEventListener("click", () => lookDialogue(themes));
receive();
