// What all pages share: asking the server, dialogues, and how the reader likes boards.
import { t, term } from "/static/words.js";

/** @import { Ask, Ids } from "messages" */

export const API = "/api/v1";

/** What is answered, as JSON. Throws an Error with its sentence. @param {string} path @param {RequestInit} options */
async function answered(path, options) {
  let answer;
  try {
    answer = await fetch(API + path, options);
  } catch {
    throw new Error(t("error.silent"));
  }
  const told = await answer.json().catch(() => ({ error: { message: t("error.status", { status: answer.status }) } }));
  if (!answer.ok) throw Object.assign(new Error(told.error.message), { code: told.error.code });
  return told;
}
/**
 * Asks the server. Throws an Error with its sentence.
 * @type {Ask}
 */
export const ask = async (/** @type {string} */ path, /** @type {unknown} */ body = undefined, /** @type {string} */ method = "") => {
  const options = body === undefined ? {} : { method: method || "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const told = await patiently(answered(path, body === undefined && method ? { method } : options));
  // What went wrong before the reader did this is of no interest any more.
  if (body !== undefined && touched > said) hush();
  return told;
};

/** How far the kernels are compiled. @param {number} percent */
export const compiles = (percent) => t("engine.compiles", { percent });
/**
 * Says how far the kernels are compiled where work has to wait for them.
 * @template T @param {Promise<T>} work @param {(said: string) => unknown} show
 */
export function patiently(work, show = say) {
  let over = false;
  const looking = setInterval(async () => {
    const { percent } = await answered("/compiling", {}).catch(() => ({ percent: null }));
    if (percent !== null && !over) show(compiles(percent));
  }, 1500);
  return work.finally(() => {
    over = true;
    clearInterval(looking);
  });
}

/** What the browser keeps as texts, of this window or of all; nothing where it does not let pages keep anything. */
export const store = {
  read(/** @type {string} */ key, /** @type {"sessionStorage" | "localStorage"} */ where = "sessionStorage") {
    try {
      return window[where].getItem(key) || "";
    } catch {
      return "";
    }
  },
  /** The same as an object, an empty one where it is damaged. @returns {any} */
  object(/** @type {string} */ key, /** @type {"sessionStorage" | "localStorage"} */ where = "sessionStorage") {
    try {
      return Object(JSON.parse(this.read(key, where)));
    } catch {
      return {};
    }
  },
  write(/** @type {string} */ key, /** @type {string} */ text, /** @type {"sessionStorage" | "localStorage"} */ where = "sessionStorage") {
    try {
      window[where].setItem(key, text);
    } catch {
      // The page has it as long as it is open.
    }
  },
};

const kept = new BroadcastChannel("sixprime-kept");
/** Tells other windows that something is kept no longer. */
export const tellOthers = () => kept.postMessage("");
/** Has a list follow what is done elsewhere: at once in other windows, else when somebody looks at it again. @param {() => Promise<unknown>} again */
export function followOthers(again) {
  const quietly = () => again().catch(() => {});
  kept.onmessage = quietly;
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && quietly());
}

/** The name of this page as it is open, by which the server knows that it asks for something else instead. */
export const me = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join("-");

/** An element of the page by its id. @type {<K extends keyof Ids>(id: K) => Ids[K]} */
export const $ = (/** @type {any} */ id) => /** @type {any} */ (document.getElementById(id));

/**
 * An element with attributes and children; texts are texts, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} attributes
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A choice of a select. @param {string | number} value @param {string} text */
export const option = (value, text, selected = false) => element("option", { value, selected }, text);

/** Whether a button is pressed, and the other way round. @param {HTMLElement} button */
export const pressed = (button) => button.getAttribute("aria-pressed") === "true";
export const press = (/** @type {HTMLElement} */ button, on = !pressed(button)) => button.setAttribute("aria-pressed", String(on));

/**
 * The rows of a table; each number has the heading of its column, for where they stand below one another.
 * @param {HTMLTableElement} table @param {HTMLElement[]} rows
 */
export function fill(table, rows) {
  const labels = [...(table.tHead?.rows[0].cells || [])].map((each) => each.querySelector(".hidden") ? "" : each.textContent || "");
  for (const row of rows) [...row.children].forEach((cell, i) => i && labels[i] && cell.setAttribute("data-label", labels[i]));
  table.tBodies[0].replaceChildren(...rows);
}

export const signed = (/** @type {number} */ value, digits = 3) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
/** How far off a mean may be in 95 of 100 cases. @param {number | null | undefined} error */
export const within = (error) => (error === null || error === undefined ? "" : ` ± ${(1.96 * error).toFixed(3)}`);
/** The larger die first. @param {readonly number[] | null} dice */
export const falling = (dice) => [...(dice || [])].sort((a, b) => b - a);
/** Two dice that are typed, such as 31; null for anything else. @param {string} text @returns {[number, number] | null} */
export function diceOf(text) {
  const found = text.match(/^\s*([1-6])[\s,-]?([1-6])\s*$/);
  return found && [+found[1], +found[2]];
}
/** A chance; variance reduction takes estimates of few games a little beyond 0 and 1. @param {number} value */
export const percent = (value) => (100 * Math.min(Math.max(0, value), 1)).toFixed(1);

// How this reader likes boards; kept by his browser.
const DEFAULTS = { theme: "auto", home: "right", light: 0, flip: false, animate: true, sound: false, numbers: "mover", pips: true, scheme: "auto" };
/** @type {typeof DEFAULTS} */
export const look = { ...DEFAULTS };
/** @param {Partial<typeof DEFAULTS>} changes */
export function setLook(changes) {
  Object.assign(look, changes);
  store.write("look", JSON.stringify(look), "localStorage");
  dress();
}
function dress() {
  document.documentElement.dataset.scheme = look.scheme;
  dispatchEvent(new Event("look"));
}
/** What another window has changed, also while this page was left. */
function recall() {
  const kept = Object.entries(store.object("look", "localStorage")).filter(([key, value]) => typeof value === typeof Object(DEFAULTS)[key]);
  Object.assign(look, Object.fromEntries(kept));
  dress();
}
recall();
addEventListener("storage", ({ key }) => key === "look" && recall());
addEventListener("pageshow", ({ persisted }) => persisted && recall());

let fading = 0, said = 0, touched = 0;
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (touched = performance.now()), true);
/**
 * Says something to everybody: shown for a while, where it hides nothing that can be used, and read out.
 * @param {string} text
 */
export function say(text, problem = false) {
  const box = $("toast"), close = box.querySelector("button");
  const line = /** @type {Element} */ (box.firstElementChild);
  if (close) close.onclick = hush;
  line.textContent = text;
  box.className = problem ? "toast problem shown" : "toast shown";
  said = performance.now();
  clearTimeout(fading);
  fading = setTimeout(hush, problem ? 6000 : 3000);
  // From below, where eyes expect it, upwards.
  const used = [...document.querySelectorAll("button, a, select, input, textarea, summary")].filter((each) => !box.contains(each)).map((each) => each.getBoundingClientRect());
  const { left, right, height } = box.getBoundingClientRect(), lowest = innerHeight - height - 20;
  const free = (/** @type {number} */ top) => used.every((each) => each.bottom <= top || each.top >= top + height || each.right <= left || each.left >= right);
  let top = lowest;
  while (top > 0 && !free(top)) top -= 4;
  box.style.top = `${top > 0 ? top : lowest}px`;
}
function hush() {
  $("toast").className = "toast";
}
export const failed = (/** @type {Error} */ error) => say(error.message, true);

/** Puts a text where it is read out, unless it stands there: what is put anew is read anew. @param {Element} place @param {string} text */
export const putText = (place, text) => void (place.textContent !== text && (place.textContent = text));
/**
 * The same of work that goes on: what comes between its beginning and its end is seen, and not read out.
 * @param {Element} place @param {string} text @param {boolean} aloud whether it is read out
 */
export function putProgress(place, text, aloud) {
  place.setAttribute("aria-live", aloud ? "polite" : "off");
  putText(place, text);
}
/**
 * The same of several sentences, of which only those are read out that are new.
 * @param {Element} place
 * @param {string[]} sentences
 */
export function putLatest(place, sentences) {
  const before = [...place.children].map((each) => each.textContent?.trim());
  let kept = Math.min(before.length, sentences.length);
  while (kept && before.slice(-kept).join("\n") !== sentences.slice(0, kept).join("\n")) kept--;
  [...place.children].slice(0, before.length - kept).forEach((each) => each.remove());
  place.append(...sentences.slice(kept).map((each) => element("span", {}, `${each} `)));
}

/**
 * Work that is done in turn, as every answer of the server is about the one before.
 * @param {(error: any) => unknown} wrong told what went wrong, unless somebody else is
 */
export function turns(wrong = failed) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (/** @type {() => unknown} */ work, otherwise = wrong) => (last = last.then(work).catch(otherwise));
}

/**
 * Keys that are not for the browser or a dialogue, nor typed into something.
 * @param {(event: KeyboardEvent, on: Element) => unknown} pressed told what has the focus, too
 * @param {(on: Element) => boolean} open whether keys in a field are for the page all the same
 */
export function onKeys(pressed, open = () => false) {
  addEventListener("keydown", (event) => {
    const on = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (!on.matches("input, textarea, select") || open(on)) pressed(event, on);
  });
}

/**
 * What leads to another page is begun once, however often it is clicked; again when it failed, or when somebody comes back.
 * @template {unknown[]} Given
 * @param {(...given: Given) => Promise<unknown>} work
 */
export function once(work) {
  let begun = false;
  addEventListener("pageshow", () => (begun = false));
  return async (/** @type {Given} */ ...given) => {
    if (begun) return;
    begun = true;
    await work(...given).catch((error) => {
      begun = false;
      failed(error);
    });
  };
}

/** Where a position is analysed. @param {string} text @param {number} chequers of each side, as IDs do not say */
export const analysisOf = (text, chequers) => `/analyse#${encodeURIComponent(text)}${chequers === 15 ? "" : `&chequers=${chequers}`}`;

/** @param {BodyInit} data */
const post = (data) => answered("/reports", { method: "POST", headers: { "content-type": "application/octet-stream" }, body: data });
/** Where matches are analysed one after the other. @param {string[]} reports @param {number} matches how many there are @param {string[]} unread files that are none, and why */
const allOf = (reports, matches, unread = []) => `/review?${new URLSearchParams([["reports", reports.join()], ["matches", String(matches)], ...unread.map((each) => ["unread", each])])}`;
/**
 * Sends a match file, and goes to its report; one that is no more than a position is analysed.
 * @param {BodyInit} data
 */
export async function sendMatch(data) {
  const told = await post(data);
  location.href = told.xgid ? analysisOf(told.every.join("\n") || told.xgid, told.chequers) : told.reports.length ? allOf(told.reports, told.matches) : `/reports/${told.key}`;
}
/** As many matches of several files as of one. */
const MOST = 20;
/**
 * Sends match files, and goes to their reports.
 * @param {File[]} files
 */
export async function sendMatches(files) {
  if (files.length === 1) return sendMatch(await files[0].arrayBuffer());
  /** @type {string[]} */
  const reports = [], /** @type {string[]} */ unread = [];
  let matches = 0;
  for (const file of files) {
    if (reports.length >= MOST) {
      matches += 1;
      continue;
    }
    say(file.name);
    try {
      const told = await post(await file.arrayBuffer());
      if (told.xgid) throw new Error(t("review.position"));
      reports.push(...(told.reports.length ? told.reports : [told.key]));
      matches += told.reports.length ? told.matches : 1;
    } catch (error) {
      unread.push(`${file.name}: ${/** @type {Error} */ (error).message}`);
    }
  }
  if (!reports.length) throw new Error(unread.join(" "));
  location.href = allOf(reports.slice(0, MOST), matches, unread);
}

/** Text dragged into a field is written there. @param {DragEvent} event */
const intoField = ({ dataTransfer, target }) => !dataTransfer?.types.includes("Files") && target instanceof Element && target.closest("input, textarea");
let received = false;
// Nothing that is dropped takes the place of a page.
addEventListener("dragover", (event) => {
  if (intoField(event)) return;
  event.preventDefault();
  if (event.dataTransfer && !received) event.dataTransfer.dropEffect = "none";
});

/** Goes to the analysis of a position; anything else dragged about stays where it is. @param {string} text */
const analysed = async (text) => (await ask("/positions", { text }).catch(() => null)) && (location.href = analysisOf(text, 15));

/**
 * Files dropped in the window: `show` is told the text of a position; matches are analysed, those of several files, too.
 * @param {(text: string) => unknown} show
 * @param {(text: string) => unknown} taken told of every text at first, says whether that was something for it
 */
export function receive(show = analysed, taken = () => false) {
  received = true;
  addEventListener("drop", async (event) => {
    if (intoField(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files || [])], [file] = files, dragged = event.dataTransfer?.getData("text");
    if (!file) return void (dragged && show(dragged));
    try {
      if (files.length > 1) return void (await sendMatches(files));
      const data = await file.arrayBuffer();
      let text = "";
      try {
        text = data.byteLength < 1_000_000 ? new TextDecoder("utf-8", { fatal: true }).decode(data) : "";
      } catch {
        // No text: a file of a program.
      }
      if (taken(text)) return;
      if (text.length > 20_000) text = "";
      const position = text && (await ask("/positions", { text }).catch(() => null));
      if (position) show(text);
      else await sendMatch(data);
    } catch (error) {
      failed(error);
    }
  });
}

/** Why a stream was refused, "" where it would not be any more. @param {EventSource} source */
export async function whyRefused(source) {
  const answer = await fetch(source.url).catch(() => null);
  if (!answer) return t("error.silent");
  if (!answer.ok) return /** @type {string} */ ((await answer.json()).error.message);
  answer.body?.cancel().catch(() => {});
  return "";
}

/** Scrolls a list to one of its lines, and nothing else. @param {Element | null} line */
export function reveal(line) {
  const box = line?.closest(".scroll");
  if (!line || !box) return;
  const place = line.getBoundingClientRect(), within = box.getBoundingClientRect();
  // Headings stay above what is scrolled.
  const top = within.top + (box.querySelector("thead")?.getBoundingClientRect().height || 0);
  if (place.bottom > within.bottom) box.scrollTop += place.bottom - within.bottom;
  else if (place.top < top) box.scrollTop -= top - place.top;
}

/**
 * Gives a file to the reader.
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} kind
 */
export function save(name, content, kind) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * A select saves a match in the format that is chosen.
 * @param {HTMLSelectElement} select
 * @param {{ name: string, title: string }[]} formats
 * @param {string} none what it shows while nothing is chosen
 * @param {(form: string) => unknown} chosen asks for the file and gives it to `saveFile`
 */
export function saveChoice(select, formats, none, chosen) {
  select.append(option("", none), ...formats.map(({ name, title }) => option(name, title)));
  select.addEventListener("change", () => {
    const form = select.value;
    select.value = "";
    if (form) chosen(form);
  });
}
/**
 * Gives a file of the server to the reader, and says what its format cannot hold.
 * @param {{ name: string, content: string, lost: string[] }} file
 * @param {HTMLSelectElement} select @param {string} form
 */
export function saveFile({ name, content, lost }, select, form) {
  save(name, Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0)), "application/octet-stream");
  if (lost.length) say(t("transcribe.lost", { format: select.querySelector(`[value="${form}"]`)?.textContent, what: lost.map(term).join(", ") }), true);
}

/**
 * Copies a text, and says so.
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("copied", { what }));
  } catch {
    prompt(`${what}:`, text);
  }
}

/** Opens a dialogue, after which what had the focus has it again. @param {HTMLDialogElement} box */
function open(box) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  box.addEventListener("close", () => (box.remove(), returnFocus(before)));
  document.body.append(box);
  box.showModal();
}
/** To what had the focus before, or what is in its place by now. @param {HTMLElement | null} before */
function returnFocus(before) {
  const same = before?.dataset.act && `[data-act="${before.dataset.act}"]`;
  /** @type {(HTMLElement | null)[]} */
  const places = [before, ...[same, "main .main:not([hidden], :disabled)", "main button"].map((each) => (each ? /** @type {HTMLElement | null} */ (document.querySelector(each)) : null))];
  places.find((each) => each?.isConnected && each !== document.body)?.focus({ preventScroll: true });
}
/** The first of two dice, while it has no other yet. @type {number | null} */
let half = null;
export const dropDie = () => void (half = null);
/**
 * Six buttons for two dice, one after the other.
 * @param {() => unknown} redraw
 * @param {(first: number, second: number) => unknown} thrown
 */
export function dicePad(redraw, thrown) {
  return element("div", { class: "dice-pad", role: "group", "aria-label": t("dice.pad") }, ...[1, 2, 3, 4, 5, 6].map((die) => element("button", { class: "die", "data-act": `die${die}`, "aria-pressed": String(half === die), "aria-label": t("transcribe.die", { die }), onclick: () => {
    const other = half;
    half = other === null ? die : null;
    return other === null ? redraw() : thrown(other, die);
  } }, String(die))));
}
/**
 * Asks a question in a dialogue; the answer is the value of the button, "" when it was left.
 * @param {string} title
 * @param {string} text
 * @param {string[][]} choices values and labels
 * @returns {Promise<string>}
 */
export function question(title, text, choices) {
  return new Promise((resolve) => {
    const box = element("dialog", { "aria-labelledby": "question-title" },
      element("h2", { id: "question-title" }, title), text ? element("p", {}, text) : null);
    const row = element("div", { class: "buttons" });
    choices.forEach(([value, label], i) => row.append(element("button", { value, class: i ? "" : "main", autofocus: !i, onclick: () => box.close(value) }, label)));
    box.append(row);
    open(box);
    box.addEventListener("close", () => resolve(box.returnValue));
  });
}

/** Whether something is to be removed for good. @param {string} text */
export const sure = (text) => question(t("review.remove_title"), text, [["", t("library.not")], ["yes", t("library.remove")]]);
/**
 * A line of a list of what is kept: it leads there, and can be removed.
 * @param {{ href: string, name: string, fact: string, more?: string }} row
 * @param {() => unknown} remove
 */
export const keptLine = ({ href, name, fact, more }, remove) => element("li", {},
  element(href ? "a" : "span", { href }, element("b", {}, name), element("span", {}, fact), more ? element("small", {}, more) : null),
  element("button", { class: "link", "aria-label": t("library.remove_one", { names: name }), onclick: remove }, t("library.remove")));

/**
 * Draws, and gives focus to something else where what had it has gone.
 * @param {() => unknown} draw
 * @param {() => HTMLElement | SVGElement | null | undefined} otherwise
 */
export function keepFocus(draw, otherwise) {
  const before = document.activeElement;
  draw();
  const now = /** @type {HTMLButtonElement | null} */ (document.activeElement);
  if (before !== document.body && (!now || now === document.body || now.disabled || !now.checkVisibility())) otherwise()?.focus({ preventScroll: true });
}

/** @type {AudioContext | undefined} */
let speaker;
/**
 * A short sound, if they are wanted.
 * @param {number} pitch in Hz
 */
export function sound(pitch) {
  if (!look.sound) return;
  const context = (speaker ||= new AudioContext()), tone = context.createOscillator(), volume = context.createGain();
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.08, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.1);
}

/**
 * The switches for boards, in a dialogue.
 * @param {string[]} themes
 */
export function lookDialogue(themes) {
  /** @typedef {keyof typeof DEFAULTS} Key */
  const pick = (/** @type {Key} */ key, /** @type {string} */ label, /** @type {(string | number)[][]} */ values) =>
    element("label", {}, label, element("select", { onchange: (/** @type {any} */ e) => setLook({ [key]: e.target.value === "1" || e.target.value === "0" ? +e.target.value : e.target.value }) },
      ...values.map(([value, text]) => option(value, String(text), String(look[key]) === String(value)))));
  const flag = (/** @type {Key} */ key, /** @type {string} */ label) => element("label", { class: "check" }, element("input", { type: "checkbox", checked: look[key], onchange: (/** @type {any} */ e) => setLook({ [key]: e.target.checked }) }), label);
  const box = element("dialog", { class: "look", "aria-labelledby": "look-title" }, element("h2", { id: "look-title" }, t("look.board")),
    pick("theme", t("look.colours"), themes.map((name) => [name, t(`theme.${name}`)])),
    pick("scheme", t("look.page"), [["auto", t("look.auto")], ["light", t("look.light")], ["dark", t("look.dark")]]),
    pick("home", t("look.home"), [["right", t("look.right")], ["left", t("look.left")]]),
    pick("light", t("look.chequers"), [[0, t("look.light")], [1, t("look.dark")]]),
    pick("numbers", t("look.numbers"), [["mover", t("look.mover")], ["bottom", t("look.bottom")], ["none", t("look.none")]]),
    flag("pips", t("look.pips")), flag("flip", t("look.flip")), flag("animate", t("look.animate")), flag("sound", t("look.sound")),
    element("div", { class: "buttons" }, element("button", { class: "main", onclick: () => box.close() }, t("done"))));
  open(box);
}
