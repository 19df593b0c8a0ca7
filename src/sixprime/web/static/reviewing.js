// The report of a match, alive: its decisions are looked at closer, commented on, tried out; the match is saved and kept.
import { API, analysisOf, ask, compiles, element, failed, keepFocus, me, option, putProgress, putText, saveChoice, say, signed, store, whyRefused, within } from "/static/common.js";
import { t, term } from "/static/words.js";

/** @import { Judged, Reviewed } from "messages" */
const key = location.pathname.split("/").pop() || "", place = /** @type {const} */ (`/reports/${key}`);
/** The decisions of every turn. @type {Map<string, Judged[]>} */
let known = new Map();
/** @type {{ close: () => void, end: () => void } | null} */
let stream = null;
/** Comments that are being written, by their turns; this window has them until they are kept. @type {Record<string, string>} */
const unsaved = store.object(`comments ${key}`);
/** @param {string} id of the turn @param {string | null} text */
function draft(id, text) {
  if (text === null) delete unsaved[id];
  else unsaved[id] = text;
  store.write(`comments ${key}`, JSON.stringify(unsaved));
}
/** What is typed into these is not for the keys of the report. @param {HTMLElement} box */
const keepKeys = (box) => box.addEventListener("keydown", (event) => event.target instanceof Element && event.target.matches("select, textarea") && event.stopPropagation());

// What is above the report.

/** @param {Reviewed} told */
function bar({ forms }) {
  const save = element("select", { "aria-label": t("live.save") });
  saveChoice(save, forms, t("live.save"), (form) => (location.href = `${API}${place}/files/${form}`));
  const links = [["/", "play"], ["/analyse", "analyse"], ["/review", "review"], ["/library", "library"], ["/learn", "learn"], ["/settings", "settings"]];
  const made = element("div", { class: "live-bar", role: "banner" },
    element("nav", { "aria-label": t("nav.label") }, ...links.map(([href, name]) => element("a", { href }, t(`nav.${name}`)))),
    element("div", {}, element("a", { href: `/transcribe?report=${key}` }, t("live.transcribe")),
    element("button", { id: "keep", onclick: () => doing(ask("/library", { report: key }), () => t("live.kept")) }, t("live.keep")),
    element("button", { id: "learn", onclick: () => doing(ask("/quiz/cards", { report: key }), ({ added }) => (added ? t("live.learnt") : t("live.none_learnt"))) }, t("live.learn")), save));
  keepKeys(made);
  return made;
}
/** @template T @param {Promise<T>} asked @param {(answer: T) => string} said of what has been done */
async function doing(asked, said) {
  try {
    say(said(await asked));
  } catch (error) {
    failed(error);
  }
}

// What is below a turn.

/** @param {Element} section */
function tools(section) {
  const found = known.get(section.id) || [];
  if (!found.length) return;
  const box = element("div", { class: "live" });
  for (const each of found) if (each.looks) box.append(closer(each, found.length > 1));
  const last = found[found.length - 1];
  const comment = element("textarea", { id: `comment-${section.id}`, rows: 2, maxlength: 10000 });
  comment.value = unsaved[section.id] ?? last.comment;
  const hint = element("span", { role: "status" });
  const keep = element("button", { onclick: async () => {
    const text = comment.value;
    try {
      take(await ask(`${place}/comments`, { game: last.game, action: last.action, text }));
      last.comment = text;
      written();
      say(t("live.said"));
    } catch (error) {
      failed(error);
    }
  } }, t("live.say"));
  const written = () => {
    keep.disabled = comment.value === last.comment;
    hint.textContent = keep.disabled ? "" : t("live.unsaved");
    draft(section.id, keep.disabled ? null : comment.value);
  };
  comment.addEventListener("input", written);
  written();
  keepKeys(box);
  box.append(element("label", {}, t("analyse.comment"), comment), element("div", { class: "row-of" }, keep, hint,
    ...found.filter(({ xgid }) => xgid).slice(-1).map(({ xgid, chequers }) => element("a", { href: analysisOf(xgid, chequers) }, t("live.try")))));
  section.querySelector(".comment")?.remove();
  (section.querySelector(".ids") || section.querySelector(".answer")?.lastElementChild)?.before(box);
}
/** @param {Judged} each @param {boolean} several whether there is another one in the same turn */
function closer(each, several) {
  const list = element("div", { class: "found" }), said = element("span", { role: "status" });
  const name = (/** @type {string} */ text) => (several ? `${text} (${t(`kind.${each.what}`)})` : text);
  const plies = element("select", { "aria-label": name(t("analyse.depth")) }, ...[1, 2, 3, 4].map((ply) => option(ply, `${ply}-ply`, ply === 3)));
  const trials = element("select", { "aria-label": name(t("analyse.games")) }, ...[324, 1296, 5184].map((games) => option(games, String(games), games === 324)));
  const stop = element("button", { hidden: true, onclick: () => {
    say(t("analyse.stopped"));
    stream?.end();
  } }, t("analyse.stop"));
  const begin = (/** @type {Record<string, string>} */ asked) => {
    stream?.close();
    const source = new EventSource(`${API}${place}/closer?${new URLSearchParams({ game: String(each.game), action: String(each.action), kind: each.kind, page: me, ...asked })}`);
    let told = false, failure = "";
    const own = (stream = {
      close() {
        source.close();
        if (stream === own) stream = null;
        if (!told) putText(said, "");
        keepFocus(() => (stop.hidden = true), () => stop.parentElement?.querySelector("button"));
      },
      end() {
        own.close();
        if (told) again();
      },
    });
    stop.hidden = false;
    putProgress(said, t("engine.looks"), true);
    source.onmessage = (event) => {
      const piece = JSON.parse(event.data);
      if (piece.kind === "end") return failure || own.end();
      if (piece.kind === "problem") return failed(new Error((failure = piece.message))), own.end();
      if (piece.kind === "compiling") return void (told || putProgress(said, piece.percent === null ? t("engine.looks") : compiles(piece.percent), false));
      told = true;
      putProgress(said, piece.how || t("analyse.rolled_out", { done: piece.done, wanted: piece.wanted }), !!piece.how || piece.done === piece.wanted);
      list.replaceChildren(piece.kind === "plays" ? plays(piece.plays) : cube(piece));
      list.dataset.done = piece.done;
    };
    source.onerror = async () => {
      if (source.readyState !== EventSource.CLOSED) return void ask("/about").catch((error) => source.readyState !== EventSource.CLOSED && putProgress(said, error.message, true));
      const why = await whyRefused(source);
      failed(new Error(why || t("error.silent")));
      own.end();
    };
  };
  return element("div", {}, element("div", { class: "row-of" },
    element("button", { "data-closer": each.kind, onclick: () => begin({ plies: plies.value }) }, name(t("live.deeper"))), plies,
    element("button", { "data-rollout": each.kind, onclick: () => begin({ trials: trials.value }) }, name(t("analyse.roll_out"))), trials, stop, said), list);
}
const table = (/** @type {HTMLElement[]} */ rows) => element("table", {}, element("tbody", {}, ...rows));
const plays = (/** @type {any[]} */ listed) => table(listed.map((each, i) => element("tr", { class: i ? "" : "best" }, element("td", {}, each.play || t("play.no_move")), element("td", {}, signed(each.equity) + within(each.equity_error)), element("td", {}, i ? signed(-each.equity_loss) : ""), element("td", {}, each.trials ? t("analyse.rolled") : `${each.plies}-ply`))));
const cube = (/** @type {{ rows: [string, number, number | null][], best: number }} */ { rows, best }) => table(rows.map(([name, equity, error], i) => element("tr", { class: i === best ? "best" : "" }, element("td", {}, term(name)), element("td", {}, signed(equity) + within(error)))));

/** @type {(where: string) => NodeListOf<any>} */
const all = (where) => document.querySelectorAll(where);
// All of the page follows from what was found: it is drawn anew, where it was, with the same filters.
function again() {
  const pressed = [...all('.bar button[aria-pressed="true"]')].map((button) => Object.entries(button.dataset)[0]).filter(([name, value]) => name !== "key" || "wd".includes(value));
  store.write("review", JSON.stringify({ key, pressed, top: scrollY, open: [...all("details[id]")].filter((each) => each.open).map((each) => each.id) }));
  location.reload();
}
function restore() {
  const kept = store.object("review");
  store.write("review", "");
  if (kept.key !== key) return remind();
  for (const [name, value] of kept.pressed) all(`.bar button[data-${name}="${value}"][aria-pressed="false"]`)[0]?.click();
  for (const each of all("details.game[id]")) each.open = kept.open.includes(each.id);
  scrollTo(0, kept.top);
}

/** Says where comments of before are not kept yet. */
function remind() {
  const turns = Object.keys(unsaved).map((id) => [...all(`a.cell[href="#${id}"] :is(.dice, .mv)`)].map((part) => part.textContent).join(" "));
  if (turns.length) say(t("live.unsaved_at", { turns: turns.join(", ") }), true);
}

/** @param {Reviewed} told */
function take(told) {
  known = new Map();
  for (const each of told.decisions) known.set(each.id, [...(known.get(each.id) || []), each]);
}
function dress() {
  for (const section of document.querySelectorAll("section.d:not(:has(.live))")) tools(section);
}
document.body.append(element("div", { id: "toast", class: "toast" }, element("p", { role: "status" }), element("button", { "aria-label": t("close") })));
try {
  const told = await ask(`${place}/decisions`);
  take(told);
  document.body.prepend(bar(told));
  restore();
  dress();
  new MutationObserver(dress).observe(document.querySelector("main") || document.body, { childList: true, subtree: true });
} catch (error) {
  // A guest may read the report of his game, and nothing else.
  if (error.code !== "token") failed(error);
}
addEventListener("pagehide", () => stream?.close());
