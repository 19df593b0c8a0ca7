// Texts in the reader's language, by the catalogue that the server has chosen.
import { language, languages, words } from "/static/catalogue.js";

export { language };
/** The text of a key, with its {parts} filled in. */
export const t = (key, parts = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => parts[name]);
/** The same for a number: of key.one or key.many. */
export const many = (key, number, parts = {}) => t(`${key}.${number === 1 ? "one" : "many"}`, { number, ...parts });
/** The same for somebody, who may be the reader: of key.you. */
export const who = (key, name, parts = {}) => t(name.toLowerCase() === t("you").toLowerCase() ? `${key}.you` : key, { name, ...parts });
const TERMS = Object.entries(words).filter(([key]) => key.startsWith("term.")).map(([key, word]) => [key.slice(5), word]);
const exact = new Map(TERMS), parts = TERMS.filter(([term]) => term.includes("#"));
/** A term of the game as the engine says it, such as "No double" or "Doubles to 4", in the reader's language. */
export function term(text) {
  if (exact.has(text)) return exact.get(text);
  if (text.includes(", ")) return text.split(", ").map(term).join(", ");
  const number = text.match(/\d+/)?.[0];
  const found = number && parts.find(([each]) => each.replace("#", number) === text);
  return found ? found[1].replace("#", number) : text;
}

/** A select becomes the choice of the language. */
export function languageChoice(select) {
  select.append(...Object.entries(languages).map(([code, name]) => Object.assign(document.createElement("option"), { value: code, textContent: name, lang: code, selected: code === language })));
  select.addEventListener("change", () => {
    document.cookie = `language=${select.value}; path=/; max-age=31536000; samesite=strict`;
    location.reload();
  });
}
