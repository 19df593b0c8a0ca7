// What all pages share: asking the server, texts, dialogues, and how the reader likes boards.
export const API = "/api/v1";

/** Asks the server. Throws an Error with its sentence. */
export async function ask(path, body, method) {
  const options = body === undefined ? {} : { method: method || "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(API + path, body === undefined && method ? { method } : options);
  } catch {
    throw new Error("The server does not answer. Is sixprime web still running?");
  }
  const told = await answer.json().catch(() => ({ error: { message: `The server answered ${answer.status}.` } }));
  if (!answer.ok) throw Object.assign(new Error(told.error.message), { code: told.error.code });
  return told;
}

export const $ = (id) => document.getElementById(id);

/** An element with attributes and children; texts are texts, never markup. */
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

export const signed = (value, digits = 3) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
export const percent = (value) => (100 * value).toFixed(1);

// How this reader likes boards; kept by his browser.
const DEFAULTS = { theme: "auto", home: "right", light: 0, flip: false, animate: true, sound: false, numbers: "mover", pips: true, scheme: "auto" };
export const look = { ...DEFAULTS, ...JSON.parse(localStorage.getItem("look") || "{}") };
export function setLook(changes) {
  Object.assign(look, changes);
  localStorage.setItem("look", JSON.stringify(look));
  dress();
  dispatchEvent(new Event("look"));
}
function dress() {
  document.documentElement.dataset.scheme = look.scheme;
}
dress();

/** Says something to everybody: shown for a while, and read out. */
export function say(text, problem = false) {
  const box = $("toast");
  box.textContent = text;
  box.className = problem ? "toast problem shown" : "toast shown";
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (box.className = "toast"), problem ? 6000 : 3000);
}
export const failed = (error) => say(error.message, true);

/** Copies a text, and says so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    prompt(`${what}:`, text);
  }
}

/** Asks a question in a dialogue; the answer is the value of the button, "" when it was left. */
export function question(title, text, choices) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const box = element("dialog", { "aria-labelledby": "question-title" },
      element("h2", { id: "question-title" }, title), text ? element("p", {}, text) : null);
    const row = element("div", { class: "buttons" });
    choices.forEach(([value, label], i) => row.append(element("button", { value, class: i ? "" : "main", autofocus: !i, onclick: () => box.close(value) }, label)));
    box.append(row);
    box.addEventListener("close", () => {
      box.remove();
      before?.focus?.();
      resolve(box.returnValue);
    });
    document.body.append(box);
    box.showModal();
  });
}

/** A short sound, if they are wanted. */
export function sound(pitch) {
  if (!look.sound) return;
  const context = (sound.context ||= new AudioContext()), tone = context.createOscillator(), volume = context.createGain();
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.08, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.1);
}

/** The switches for boards, in a dialogue. */
export function lookDialogue(themes) {
  const before = document.activeElement;
  const pick = (key, label, values) =>
    element("label", {}, label, element("select", { onchange: (e) => setLook({ [key]: e.target.value === "1" || e.target.value === "0" ? +e.target.value : e.target.value }) },
      ...values.map(([value, text]) => element("option", { value, selected: String(look[key]) === String(value) }, text))));
  const flag = (key, label) => element("label", { class: "check" }, element("input", { type: "checkbox", checked: look[key], onchange: (e) => setLook({ [key]: e.target.checked }) }), label);
  const box = element("dialog", { class: "look", "aria-labelledby": "look-title" }, element("h2", { id: "look-title" }, "Board"),
    pick("theme", "Colours", themes.map((name) => [name, name])),
    pick("scheme", "Page", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]]),
    pick("home", "Bear off to the", [["right", "right"], ["left", "left"]]),
    pick("light", "Your chequers", [[0, "light"], [1, "dark"]]),
    pick("numbers", "Point numbers", [["mover", "of the player on roll"], ["bottom", "of the side below"], ["none", "none"]]),
    flag("pips", "Pip counts"), flag("flip", "Your side at the top"), flag("animate", "Animation"), flag("sound", "Sounds"),
    element("div", { class: "buttons" }, element("button", { class: "main", onclick: () => box.close() }, "Done")));
  box.addEventListener("close", () => (box.remove(), before?.focus?.()));
  document.body.append(box);
  box.showModal();
}
