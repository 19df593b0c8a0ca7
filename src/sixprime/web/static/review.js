// A match is sent, and its analysis waited for.
import { $, ask, failed, receive, sendMatch } from "/static/common.js";
import { t } from "/static/words.js";

async function begin(data) {
  try {
    await sendMatch(data);
  } catch (error) {
    failed(error);
    $("state").textContent = error.message;
  }
}
async function follow(key) {
  $("progress").hidden = false;
  try {
    for (;;) {
      const told = await ask(`/reports/${key}`);
      if (told.state === "ready") return void location.reload();
      if (told.state === "failed") throw new Error(told.problem);
      if (told.total) $("progress").value = told.done / told.total;
      $("state").textContent = told.total ? t("review.judged", { done: told.done, total: told.total }) : t("review.judging");
      await new Promise((done) => setTimeout(done, 250));
    }
  } catch (error) {
    failed(error);
    $("state").textContent = error.message;
    $("progress").hidden = true;
  }
}
const file = async () => $("file").files[0] && begin(await $("file").files[0].arrayBuffer());
$("file").addEventListener("change", file);
$("go").addEventListener("click", () => ($("text").value.trim() ? begin($("text").value) : file()));
receive((text) => (location.href = `/analyse#${encodeURIComponent(text)}`));
if (location.pathname.startsWith("/reports/")) follow(location.pathname.split("/").pop());
