// A match is sent, and its analysis waited for.
import { $, API, analysisOf, ask, element, failed, followOthers, keptLine, once, patiently, putProgress, receive, sendMatch, sendMatches, signed, sure, tellOthers } from "/static/common.js";
import { many, matchTo, moment, named, t, term, versus } from "/static/words.js";

const begin = once((/** @type {() => Promise<void>} */ send) => send().catch((error) => {
  $("state").textContent = error.message;
  throw error;
}));
/**
 * The report is made as long as somebody follows it.
 * @param {string} key
 * @param {(said: string) => string} worded what is said of how far it is
 * @param {((problem: string) => unknown) | null} then what comes after it, told why there is none; by default the report
 */
function follow(key, worded = (said) => said, then = null) {
  $("progress").hidden = false;
  const stream = new EventSource(`${API}/reports/${key}/events`);
  let judged = (/** @type {unknown} */ _) => {};
  patiently(new Promise((done) => (judged = done)), (said) => putProgress($("state"), worded(said), false));
  const ended = (/** @type {Error} */ error) => {
    stream.close();
    judged(null);
    failed(error);
    putProgress($("state"), error.message, true);
    $("progress").hidden = true;
  };
  stream.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.done || told.state !== "working") judged(told);
    if (told.state === "ready") {
      stream.close();
      if (then) return void then("");
      return void (location.pathname === `/reports/${key}` ? location.reload() : (location.href = `/reports/${key}`));
    }
    if (told.state === "failed") return ended(new Error(told.problem)), void (then ? then(told.problem) : latest());
    if (told.state === "stopped") return stream.close(), follow(key, worded, then);
    if (told.total) $("progress").value = told.done / told.total;
    putProgress($("state"), worded(told.total ? t("review.judged", { done: told.done, total: told.total }) : t("review.judging")), !told.total);
  };
  stream.onerror = () => ask(`/reports/${key}`).catch((error) => (error.code ? ended(error) : putProgress($("state"), error.message, true)));
}
const file = async () => {
  const chosen = [...($("file").files || [])];
  if (chosen.length) begin(() => sendMatches(chosen));
};
$("file").addEventListener("change", file);
$("go").addEventListener("click", () => {
  if ($("text").value.trim()) return void begin(() => sendMatch($("text").value));
  if ($("file").files?.length) return void file();
  failed(new Error(t("review.nothing")));
  $("file").focus();
});
receive();

// What is kept, and can be taken away.

/**
 * @import { Asked, Results } from "messages"
 * @typedef {{ kind: Asked.RemoveAsked["kind"], key: string, href: string, name: string, fact: string, more?: string }} Row
 */
let listed = "";
function results(/** @type {Results} */ all) {
  if (listed === (listed = JSON.stringify(all))) return;
  const { reports, rollouts, variations, answers, attempts } = all;
  fill("latest", "reports", reports.map((each) => ({ kind: "report", key: each.key, href: `/reports/${each.key}`, name: versus(named(each)), fact: "", more: `${matchTo(each.length)}, ${many("review.games", each.games)}${each.state === "ready" ? "" : `, ${t("review.unfinished")}`}, ${moment(each.when)}` })));
  // Hypergammon is not rolled out.
  fill("rolled", "rollouts", rollouts.map((each) => ({ kind: "rollout", key: each.key, href: each.xgid && analysisOf(each.xgid, 15), name: [each.dice, term(each.best)].filter(Boolean).join(": ") || t("analyse.position"), fact: signed(each.equity), more: `${many("review.rolled", each.trials)}, ${moment(each.when)}` })));
  fill("tried", "variations", variations.map((each) => ({ kind: "variations", key: each.key, href: each.xgid && analysisOf(each.xgid, each.chequers), name: each.title, fact: "", more: `${many("review.tried", each.number)}, ${moment(each.when)}` })));
  fill("learnt", "learning", [
    /** @type {Row} */ ({ kind: "quiz", key: "", href: "/learn", name: t("learn.quiz"), fact: many("review.answers", answers) }),
    /** @type {Row} */ ({ kind: "drills", key: "", href: "/learn", name: t("learn.drills"), fact: many("review.attempts", attempts) }),
  ].filter((each) => (each.kind === "quiz" ? answers : attempts)));
}
const latest = () => ask("/results").then(results).catch(() => {});
followOthers(latest);
/** What is known of those of one file, and why some have no report. @type {Map<string, Results["reports"][number]>} */
const own = new Map(), problems = /** @type {Map<string, string>} */ (new Map());
/** Whether there is nothing to wait for: it is ready, was removed, or cannot be made. @param {string} key @param {Results["reports"]} kept */
async function settled(key, kept) {
  const listed = kept.find((each) => each.key === key);
  if (listed || problems.has(key)) return !listed || listed.state === "ready";
  // Not kept: whoever asks for it is told why.
  const told = await ask(`/reports/${key}`).catch(() => null);
  if (told?.state === "failed") problems.set(key, told.problem);
  return true;
}
/** The matches of one file, one after the other; a list leads to their reports. @param {string[]} keys @param {number} matches that the file has @returns {Promise<void>} */
async function followAll(keys, matches, at = 0) {
  const kept = await ask("/results");
  results(kept);
  for (const each of kept.reports) own.set(each.key, each);
  while (at < keys.length && (await settled(keys[at], kept.reports))) at++;
  $("first").hidden = matches <= keys.length;
  $("first").textContent = t("review.first_of", { matches, taken: keys.length });
  $("several").replaceChildren(...keys.flatMap((key, number) => {
    const each = own.get(key), why = problems.get(key), name = element("b", {}, each ? versus(named(each)) : t("library.match", { number: number + 1 }));
    if (why) return element("li", {}, name, element("p", { class: "problem" }, why));
    return each ? element("li", {}, element("a", { href: `/reports/${key}` }, name, element("span", {}, each.state === "ready" ? "" : t("review.unfinished")))) : [];
  }));
  if (at < keys.length) return follow(keys[at], (said) => t("review.match_of", { number: at + 1, matches: keys.length, said }), (problem) => {
    if (problem) problems.set(keys[at], problem);
    return followAll(keys, matches, at + 1).catch(failed);
  });
  $("progress").hidden = true;
  putProgress($("state"), problems.size ? "" : t("review.all_done", { matches: keys.length }), true);
}
/** @param {"latest" | "rolled" | "tried" | "learnt"} section @param {"reports" | "rollouts" | "variations" | "learning"} list @param {Row[]} found */
function fill(section, list, found) {
  $(section).hidden = !found.length;
  $(list).replaceChildren(...found.map((row) => keptLine(row, () => remove(row.kind, row.key, row.name, list))));
}
/** @param {Row["kind"]} kind @param {string} key @param {string} name @param {"reports" | "rollouts" | "variations" | "learning"} list */
async function remove(kind, key, name, list) {
  if (!(await sure(kind === "quiz" ? t("review.remove_quiz") : name))) return;
  await ask("/results/remove", { kind, key }).then(results).catch(failed);
  tellOthers();
  ($(list).querySelector("button") || $("go")).focus();
}
const wanted = new URLSearchParams(location.search);
$("unread").replaceChildren(...wanted.getAll("unread").map((each) => element("li", {}, each)));
if (wanted.has("reports")) followAll(/** @type {string} */ (wanted.get("reports")).split(","), Number(wanted.get("matches"))).catch(failed);
else latest();
if (location.pathname.startsWith("/reports/")) follow(location.pathname.slice("/reports/".length));
