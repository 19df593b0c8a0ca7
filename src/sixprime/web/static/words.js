// Texts in the reader's language, by the catalogue that the server has chosen.
import { language, languages, words } from "/static/catalogue.js";

export { language };
/** How this reader writes dates in that language; numbers have a point in all of them, as reports and files do. */
const locale = navigator.languages.find((each) => each.split("-")[0] === language) || language;
/** A day, and a moment of it. @param {string | number} when */
export const day = (when) => new Date(when).toLocaleDateString(locale, { dateStyle: "medium" });
export const moment = (/** @type {string | number} */ when) => new Date(when).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
/** @type {Record<string, string>} */
const texts = words;
/** The text of a key, with its {parts} filled in. */
export const t = (/** @type {string} */ key, /** @type {Record<string, unknown>} */ parts = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => apart(String(parts[name])));
/** A text in its own direction of writing, so that what stands behind one from right to left stays behind it. @param {string} text */
export const apart = (text) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text);
/** Two players, the first one first. @param {string[]} names */
export const versus = (names) => names.map(apart).join(" – ");
/** The same for a number: of key.one or key.many. */
export const many = (/** @type {string} */ key, /** @type {number} */ number, parts = {}) => t(`${key}.${number === 1 ? "one" : "many"}`, { number, ...parts });
/** What is played, by its length. @param {number} length */
export const matchTo = (length) => (length ? many("play.match", length) : t("home.money"));
/** Both players as this reader calls them: whoever has told no name may have begun the game in another language. @param {{ names: string[], unnamed: number | null }} of */
export const named = ({ names, unnamed }) => names.map((name, player) => (player === unnamed ? t("you") : name));
const TERMS = Object.entries(texts).filter(([key]) => key.startsWith("term.")).map(([key, word]) => /** @type {const} */ ([key.slice(5), word]));
const exact = new Map(TERMS), parts = TERMS.filter(([term]) => term.includes("#"));
/**
 * A term of the game as the engine says it, such as "No double" or "Doubles to 4", in the reader's language.
 * @param {string} text
 * @returns {string}
 */
export function term(text) {
  const known = exact.get(text);
  if (known !== undefined) return known;
  if (text.includes(", ")) return text.split(", ").map(term).join(", ");
  const number = text.match(/\d+/)?.[0];
  const found = number !== undefined && parts.find(([each]) => each.replace("#", number) === text);
  return found && number ? found[1].replace("#", number) : text;
}

/**
 * A select becomes the choice of the language.
 * @param {HTMLSelectElement} select
 */
export function languageChoice(select) {
  select.append(...Object.entries(languages).map(([code, name]) => Object.assign(document.createElement("option"), { value: code, textContent: name, lang: code, selected: code === language })));
  select.addEventListener("change", () => {
    document.cookie = `language=${select.value}; path=/; max-age=31536000; samesite=strict`;
    location.reload();
  });
}
