// A match is sent, and its analysis waited for.
import { $, API, ask, element, failed, receive, sendMatch } from "/static/common.js";
import { many, t } from "/static/words.js";

/** @param {BodyInit} data */
async function begin(data) {
  try {
    await sendMatch(data);
  } catch (error) {
    failed(error);
    $("state").textContent = error.message;
  }
}
/** The report is made as long as somebody follows it. @param {string} key */
function follow(key) {
  $("progress").hidden = false;
  const stream = new EventSource(`${API}/reports/${key}/events`);
  const ended = (/** @type {Error} */ error) => {
    stream.close();
    failed(error);
    $("state").textContent = error.message;
    $("progress").hidden = true;
  };
  stream.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.state === "ready") {
      stream.close();
      return void (location.pathname === `/reports/${key}` ? location.reload() : (location.href = `/reports/${key}`));
    }
    if (told.state === "failed") return ended(new Error(told.problem));
    if (told.state === "stopped") return stream.close(), follow(key);
    if (told.total) $("progress").value = told.done / told.total;
    $("state").textContent = told.total ? t("review.judged", { done: told.done, total: told.total }) : t("review.judging");
  };
  stream.onerror = () => ask(`/reports/${key}`).catch((error) => (error.code ? ended(error) : ($("state").textContent = error.message)));
}
const file = async () => {
  const chosen = $("file").files?.[0];
  if (chosen) begin(await chosen.arrayBuffer());
};
$("file").addEventListener("change", file);
$("go").addEventListener("click", () => ($("text").value.trim() ? begin($("text").value) : file()));
receive((text) => (location.href = `/analyse#${encodeURIComponent(text)}`));
ask("/reports").then(({ reports }) => {
  $("latest").hidden = !reports.length;
  $("reports").replaceChildren(...reports.map((each) => element("li", {}, element("a", { href: `/reports/${each.key}` },
    element("b", {}, each.names.join(" – ")), element("span", {}, each.length ? many("play.match", each.length) : t("home.money")),
    element("small", {}, many("review.games", each.games) + (each.state === "ready" ? "" : `, ${t("review.unfinished")}`))))));
}).catch(() => {});
if (location.pathname.startsWith("/reports/")) follow(location.pathname.slice("/reports/".length));
