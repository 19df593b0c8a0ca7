(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const root = document.documentElement, games = document.querySelector(".games"), aside = document.querySelector("aside");
  const cells = all("a.cell"), wide = matchMedia("(min-width:1000px)"), marker = document.querySelector(".g-now");
  const kinds = { all: "", errors: "e", blunders: "b", cube: "q" };
  let current = null, filter = "all";
  root.classList.add("js");

  const section = (cell) => document.getElementById(cell.hash.slice(1));
  const fits = (cell) => cell.dataset.k.includes(kinds[filter]);

  function close() {
    if (!current) return;
    current.classList.remove("now");
    current.removeAttribute("aria-current");
    section(current).classList.remove("open");
    current = null;
  }

  function open(cell, move = true) {
    close();
    current = cell;
    cell.classList.add("now");
    cell.setAttribute("aria-current", "true");
    cell.closest("details").open = true;
    const detail = section(cell), copy = detail.cloneNode(true);
    detail.classList.add("open");
    copy.removeAttribute("id");
    aside.replaceChildren(copy);
    aside.scrollTop = 0;
    if (marker && cell.dataset.x) marker.setAttribute("d", `M${cell.dataset.x} 22V218`);
    if (!move) return;
    history.replaceState(null, "", cell.hash);
    if (wide.matches) cell.scrollIntoView({ block: "nearest" });
    else cell.closest(".row").scrollIntoView({ block: "start" });
  }

  function step(direction, wanted) {
    const from = current ? cells.indexOf(current) : direction > 0 ? -1 : cells.length;
    for (let i = from + direction; i >= 0 && i < cells.length; i += direction)
      if (wanted(cells[i])) return open(cells[i]);
  }
  const error = (direction) => step(direction, (cell) => fits(cell) && (filter === "cube" || cell.dataset.k.includes("e")));

  function choose(name) {
    filter = name;
    games.classList.toggle("f", name !== "all");
    for (const button of all("[data-filter]")) button.setAttribute("aria-pressed", button.dataset.filter === name);
    for (const cell of cells) cell.classList.toggle("miss", !fits(cell));
    for (const row of all(".row:not(.names)", games)) row.classList.toggle("hit", !!row.querySelector("a.cell:not(.miss)"));
    for (const game of all(".game", games)) {
      const hit = !!game.querySelector(".row.hit");
      game.classList.toggle("hit", hit);
      if (hit && name !== "all") game.open = true;
    }
  }

  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  const keys = {
    n: () => error(1), p: () => error(-1),
    ArrowRight: () => step(1, fits), ArrowLeft: () => step(-1, fits),
    a: () => choose("all"), e: () => choose("errors"), b: () => choose("blunders"), c: () => choose("cube"),
    t: theme, Escape: close,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-filter],button[data-key]");
    if (button) return button.dataset.filter ? choose(button.dataset.filter) : keys[button.dataset.key]();
    const link = event.target.closest('a[href^="#a"]');
    if (!link) return;
    event.preventDefault();
    const cell = cells.find((c) => c.hash === link.getAttribute("href"));
    if (cell === current && !wide.matches) close();
    else if (cell) open(cell);
  });

  const byHash = () => cells.find((cell) => cell.hash === location.hash);
  addEventListener("hashchange", () => byHash() && open(byHash()));
  if (byHash()) open(byHash());
  else if (wide.matches) {
    const first = cells.find((cell) => cell.hash === "#" + games.dataset.first) || cells[0];
    if (first) open(first, false);
  }
})();
