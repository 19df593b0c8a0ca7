// All settings, the same tree as everywhere.
import { $, ask, element, failed, say } from "/static/common.js";

async function set(name, value, field) {
  try {
    await ask("/settings", { name, value }, "PATCH");
    field.removeAttribute("aria-invalid");
    say(`${name} is set.`);
  } catch (error) {
    field.setAttribute("aria-invalid", "true");
    failed(error);
  }
}
ask("/settings").then(({ settings, writable }) => {
  $("readonly").hidden = writable;
  const sections = new Map();
  for (const each of settings) {
    const [section, key] = each.name.split(".");
    if (!sections.has(section)) sections.set(section, []);
    const id = `set-${each.name}`, value = each.value === null ? "" : String(each.value);
    const field = each.kind === "flag"
      ? element("select", { id, disabled: !writable }, ...[["", `as built: ${each.built_in}`], ["true", "yes"], ["false", "no"]].map(([v, text]) => element("option", { value: v, selected: v === value }, text)))
      : element("input", { id, value, placeholder: each.built_in, disabled: !writable, spellcheck: "false", inputmode: each.kind === "number" ? "decimal" : "text" });
    field.addEventListener("change", () => set(each.name, field.value === "" ? null : field.value, field));
    sections.get(section).push(element("div", { class: "setting" }, element("label", { for: id }, element("b", {}, key.replaceAll("_", " ")), element("small", {}, each.text)), field));
  }
  $("sections").append(...[...sections].map(([name, rows]) => element("details", { open: name === "play" }, element("summary", {}, name), ...rows)));
}).catch(failed);
