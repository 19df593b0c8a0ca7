(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);
  const root = document.documentElement, games = one(".games"), aside = one("aside"), worst = one("#worst");
  const cells = all("a.cell", games), turns = all("noscript.turn", games), links = worst ? all("a", worst) : [];
  const byHash = new Map(cells.map((cell, i) => [cell.getAttribute("href"), i])), listed = links.map((link) => byHash.get(link.getAttribute("href")));
  const names = all(".player h2").map((title) => title.dataset.name), marker = one(".g-now"), found = one("output.found");
  const wide = matchMedia("(min-width:1000px)"), board = boards(JSON.parse(games.dataset.board));
  const at = one("output.at");
  let differ = false;
  const chosen = { player: new Set(), kind: new Set(), size: new Set() };
  const score = { asked: 0, right: 0, lost: 0 };
  let current = -1, section = null, answered = true, quiz = false, byLoss = false, bottom = null, mirrored = false, shown = null;
  root.classList.add("js");
  // What this reader likes, here and on the other pages of a server.
  const look = () => {
    try {
      return Object(JSON.parse(localStorage.look));
    } catch {
      return {};
    }
  };
  function dress() {
    const { scheme } = look();
    if (["light", "dark"].includes(scheme)) root.dataset.theme = scheme;
    else if (scheme) delete root.dataset.theme;
  }
  dress();
  // What another window has changed, also while this page was left.
  for (const kind of ["storage", "pageshow"]) addEventListener(kind, dress);

  // One turn.

  function take(index) {
    const template = document.createElement("template");
    template.innerHTML = turns[index].textContent;
    return one("section", template.content);
  }

  function close() {
    if (current < 0) return;
    cells[current].classList.remove("now");
    cells[current].removeAttribute("aria-current");
    section.remove();
    current = -1;
    section = null;
  }

  function mark(index) {
    const { x } = cells[index].dataset;
    if (marker && x) marker.setAttribute("d", `M${x} 22V218`);
  }

  function open(index, { move = true } = {}) {
    close();
    current = index;
    const cell = cells[index];
    cell.classList.add("now");
    cell.setAttribute("aria-current", "true");
    section = take(index);
    prepare();
    ask(quiz);
    mark(index);
    cell.closest("details").open = true;
    lay();
    if (!move) return;
    history.replaceState(null, "", cell.hash);
    const link = byLoss && links[listed.indexOf(index)];
    (wide.matches ? link || cell : section).scrollIntoView({ block: "nearest" });
    if (!wide.matches) (link || cell.closest(".row")).scrollIntoView({ block: "start" });
  }

  // Beside the list where there is room, else below the row.
  function lay() {
    if (!section) return;
    const link = byLoss && links[listed.indexOf(current)];
    if (wide.matches) aside.replaceChildren(section);
    else if (link) link.after(section);
    else cells[current].closest(".row").after(section);
    aside.scrollTop = 0;
  }

  function prepare() {
    const ids = one(".ids", section), tools = document.createElement("p");
    tools.className = "tools";
    for (const [key, name, code] of [["f", "{{ say('script.turn') }}"], ["x", "{{ say('script.xgid') }}", 0], ["g", "{{ say('script.gnubg') }}", 1]]) {
      if (code !== undefined && !all("code", section)[code]) continue;
      const button = document.createElement("button");
      button.dataset.key = key;
      button.append(name, " ", Object.assign(document.createElement("kbd"), { textContent: key }));
      tools.append(button);
    }
    ids.after(tools);
    for (const cell of all(".plays td:nth-child(2)", section)) {
      const button = document.createElement("button");
      button.className = "play";
      button.title = cell.title;
      button.textContent = cell.firstChild.textContent.trim();
      cell.firstChild.replaceWith(button, " ");
    }
    const terms = { Ply: "ply", Equity: "emg", W: "wgbl", MWC: "mwc", "MWC %": "mwc" };
    for (const head of all("th", section)) {
      if (!Object.hasOwn(terms, head.textContent.trim())) continue;
      const button = Object.assign(document.createElement("button"), { className: "term", type: "button" });
      button.setAttribute("popovertarget", "t-" + terms[head.textContent.trim()]);
      button.append(...head.childNodes);
      head.append(button);
    }
    all(".chances", section).forEach(fill);
  }

  // Candidates as a row of the table writes them.
  const rows = () => (section ? all(".plays tbody tr", section) : []);
  const play = (row) => one(".play", row).textContent;
  const chances = (row) => [...row.cells].slice(4, 10).map((cell) => +cell.textContent);

  function empty() {
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const { width, height } = board.sizes;
    for (const [name, value] of [["class", "sp-board"], ["role", "img"], ["viewBox", `0 0 ${width} ${height}`]])
      picture.setAttribute(name, value);
    return picture;
  }

  function draw() {
    const xgid = section && one("code", section)?.textContent;
    if (!xgid?.startsWith("XGID=")) return;
    const picture = one(".picture svg", section) || one(".picture", section).appendChild(empty());
    const position = board.read(xgid), listed = rows(), plays = {};
    const options = { bottom: bottom ?? position.mover, mirrored };
    if (shown) plays.best = play(shown);
    else if (listed.length && answered) {
      plays.best = play(listed[0]);
      const played = listed.find((row) => row.classList.contains("played"));
      if (played && played !== listed[0]) plays.played = play(played);
    }
    const seen = shown ? board.after(position, plays.best) : position;
    picture.innerHTML = board.draw(seen, { ...options, plays, from: position });
    picture.setAttribute("aria-label", board.label(seen, names));
    for (const row of listed) row.classList.toggle("shown", row === shown);
    const legend = one(".legend", section);
    if (legend) legend.classList.toggle("idle", !!shown || !answered);
    if (listed.length) bar(one(".plays", section).closest(".j"), shown || listed[0], position.mover);
  }

  // The bar of the chances after a candidate; the left end is that of player 0.
  function bar(block, row, mover) {
    const figure = one(".chances", block) || block.appendChild(blank());
    const mine = chances(row), sides = [mine.slice(0, 3), mine.slice(3)];
    if (mover) sides.reverse();
    one("figcaption", figure).textContent = `{{ say('script.after') }}`;
    all("p span", figure).forEach((side, i) => {
      one("b", side).textContent = `${sides[i][0].toFixed(1)} %`;
      one("small", side).textContent = `G ${sides[i][1].toFixed(1)}, B ${sides[i][2].toFixed(1)}`;
    });
    fill(figure);
  }

  const blank = () => one("#bar").content.firstElementChild.cloneNode(true);

  // The bar says what is written below it.
  function fill(figure) {
    if (!one("svg", figure)) one("figcaption", figure).after(one("svg", blank()));
    const numbers = all("b, small", figure).map((part) => part.textContent.match(/[\d.]+/g));
    const widths = [numbers[0][0], ...numbers[1], ...numbers[3]];
    all("rect", figure).forEach((part, i) => part.setAttribute("width", `${widths[i]}%`));
  }

  function show(row) {
    if (!answered || row === shown) return;
    shown = row;
    draw();
  }
  let pinned = null;
  function pin(row) {
    pinned = pinned === row ? null : row;
    show(pinned);
  }
  function candidate(direction) {
    const listed = rows();
    if (!listed.length || !answered) return;
    const at = pinned ? listed.indexOf(pinned) + direction : direction > 0 ? 0 : listed.length - 1;
    pinned = listed[at] || null;
    show(pinned);
  }

  // Quiz: the answer is hidden until one is chosen.

  function question() {
    return all(".j[data-loss]", section).sort((a, b) => b.dataset.loss - a.dataset.loss)[0];
  }
  function answers() {
    const block = question();
    if (!block) return [];
    if (block.dataset.answers) return block.dataset.answers.split("|").map((part) => part.split(":"));
    const plays = all(".plays tbody tr", block).map((row) => [play(row), row.cells[3].textContent]);
    return plays.length > 1 ? plays.sort((a, b) => (a[0] < b[0] ? 1 : -1)) : [];
  }

  function ask(hidden) {
    const choices = hidden ? answers() : [];
    answered = !choices.length;
    pinned = shown = null;
    section.classList.toggle("ask", !answered);
    for (const link of [cells[current], links[listed.indexOf(current)]]) link?.classList.toggle("told", answered);
    one(".question", section)?.remove();
    if (!answered) {
      const panel = document.createElement("div"), title = document.createElement("p"), list = document.createElement("div");
      panel.className = "question";
      title.textContent = one(".plays", question()) ? "{{ say('script.which') }}" : "{{ say('script.what') }}";
      for (const [name, loss] of choices) {
        const button = document.createElement("button");
        button.textContent = name;
        button.addEventListener("click", () => tell(name, loss));
        list.append(button);
      }
      const skip = Object.assign(document.createElement("button"), { textContent: "{{ say('script.answer') }}" });
      skip.addEventListener("click", () => tell());
      panel.append(title, list, skip);
      one(".answer", section).before(panel);
    }
    draw();
  }

  const size = (loss) => Math.abs(parseFloat(loss) || 0);
  const cost = (lost) => lost.toFixed(games.dataset.digits) + games.dataset.unit;

  function tell(name, loss) {
    if (answered) return;
    ask(false);
    if (name === undefined) return;
    const right = !loss, told = document.createElement("p");
    score.asked += 1;
    score.right += right;
    score.lost += size(loss);
    told.className = `question ${right ? "right" : "wrong"}`;
    told.setAttribute("role", "status");
    told.textContent = `${name}: ${right ? "{{ say('script.right') }}" : `{{ say('script.loses') }}`}. `
      + `{{ say('script.score') }}`;
    one(".answer", section).before(told);
  }

  function setQuiz() {
    quiz = !quiz;
    root.classList.toggle("quiz", quiz);
    for (const link of [...cells, ...links]) link.classList.remove("told");
    press();
    if (section) ask(quiz);
  }
  const hide = () => (quiz && section && !answered ? tell() : setQuiz());

  // Filters: within a group, none chosen means all.

  const any = (set, values) => `[${set.size ? [...set].join("") : values}]`;
  const active = () => differ || Object.values(chosen).some((set) => set.size);
  const kinds = (index) => cells[index].dataset.k;
  function fits(sizes = "0123") {
    const wanted = new RegExp(any(chosen.player, "01") + any(chosen.kind, "pc") + any(chosen.size, sizes));
    return (index) => (!differ || "differ" in cells[index].dataset) && (wanted.test(kinds(index)) || (!active() && sizes === "0123"));
  }

  function press() {
    for (const button of all(".bar button")) {
      const group = ["player", "kind", "size"].find((name) => name in button.dataset);
      if (group) button.setAttribute("aria-pressed", chosen[group].has(button.dataset[group]));
    }
    one('[data-key="a"]').setAttribute("aria-pressed", !active());
    one('.bar [data-key="d"]')?.setAttribute("aria-pressed", differ);
    one('[data-key="w"]')?.setAttribute("aria-pressed", byLoss);
    one('[data-key="h"]').setAttribute("aria-pressed", quiz);
  }

  function filter(wanted = {}) {
    differ = false;
    for (const group in chosen) chosen[group] = new Set(wanted[group] || []);
    apply();
  }

  function apply() {
    const fit = fits();
    games.classList.toggle("f", active());
    cells.forEach((cell, i) => cell.classList.toggle("miss", !fit(i)));
    links.forEach((link, i) => (link.parentElement.hidden = !fit(listed[i])));
    for (const row of all(".row:not(.names)", games)) row.classList.toggle("hit", !!one("a.cell:not(.miss)", row));
    for (const game of all(".game", games)) {
      const hit = !!one(".row.hit", game);
      game.classList.toggle("hit", hit);
      if (hit && active()) game.open = true;
    }
    found.textContent = active() ? `{{ say('script.found') }}` : "";
    press();
  }

  function toggle(group, value) {
    if (!chosen[group].delete(value)) chosen[group].add(value);
    apply();
  }

  function differing() {
    differ = !differ && !!one(".bar [data-key='d']");
    apply();
  }

  function worstFirst() {
    if (!worst) return;
    byLoss = !byLoss;
    root.classList.toggle("by-loss", byLoss);
    worst.open = byLoss;
    press();
    lay();
  }

  worst?.addEventListener("toggle", () => byLoss && !worst.open && worstFirst());

  // Steps.

  function step(direction, wanted) {
    const order = byLoss ? listed : [...cells.keys()];
    let at = order.indexOf(current);
    if (at < 0 && direction < 0) at = order.length;
    for (at += direction; at >= 0 && at < order.length; at += direction) if (wanted(order[at])) return open(order[at]);
  }
  const error = (direction) => step(direction, fits(chosen.kind.has("c") || differ ? "0123" : "123"));

  async function copy(number) {
    const code = section && all("code", section)[number];
    if (!code) return;
    const button = one(`.tools [data-key="${"xg"[number]}"]`, section);
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
  }

  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.look = JSON.stringify({ ...look(), scheme: root.dataset.theme });
    } catch {
      // The page has it as long as it is open.
    }
  }
  // From the player on roll to one player, then to the other.
  function turnBoard() {
    bottom = bottom === null ? 0 : bottom === 0 ? 1 : null;
    draw();
  }

  const keys = {
    n: () => error(1), p: () => error(-1),
    ArrowRight: () => step(1, fits()), ArrowLeft: () => step(-1, fits()),
    ArrowDown: () => candidate(1), ArrowUp: () => candidate(-1),
    a: () => filter(), e: () => filter({ size: "123" }), b: () => filter({ size: "23" }), c: () => filter({ kind: "c" }),
    d: differing,
    w: worstFirst, h: hide, f: turnBoard, m: () => ((mirrored = !mirrored), draw()), x: () => copy(0), g: () => copy(1),
    t: theme, "?": () => one("#keys").togglePopover(), Escape: () => (wide.matches ? pin(null) : close()),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.(".scroll,.tables")) return;
    if (event.key === "Escape" && one(":popover-open")) return;
    if ((event.key === "ArrowUp" || event.key === "ArrowDown") && !rows().length) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button"), link = event.target.closest('a[href^="#a"]'), onCurve = curve?.contains(event.target);
    if (button?.dataset.key) return keys[button.dataset.key]();
    const group = button && ["player", "kind", "size"].find((name) => name in button.dataset);
    if (group) return toggle(group, button.dataset[group]);
    if (button?.classList.contains("play")) return pin(button.closest("tr"));
    if (onCurve && event.pointerType === "touch") {
      event.preventDefault();
      return point(event);
    }
    if (link) {
      event.preventDefault();
      const index = byHash.get(link.getAttribute("href"));
      if (link.dataset.filter) {
        const [player, kind, size] = link.dataset.filter;
        filter({ player, kind, size });
        if (index !== undefined) open(index);
        return games.scrollIntoView({ block: "start" });
      }
      return index === current && !wide.matches ? close() : open(index);
    }
    if (onCurve) open(near(event));
  });

  // The curve: what it says where it is pointed at.
  const curve = one(".graph svg"), drawn = [...cells.keys()].filter((i) => cells[i].dataset.x);
  let pointed = null;
  function near(event) {
    const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(curve.getScreenCTM().inverse());
    const far = (i) => Math.abs(cells[i].dataset.x - x);
    return drawn.reduce((best, i) => (far(i) < far(best) ? i : best));
  }
  // A finger is larger than a mark.
  function touched({ clientX: x, clientY: y }) {
    const away = (link) => {
      const { left, right, top, bottom } = link.getBoundingClientRect();
      return Math.hypot((left + right) / 2 - x, (top + bottom) / 2 - y);
    };
    const [nearest] = all("a:has(.mark)", curve).sort((a, b) => away(a) - away(b));
    return nearest && away(nearest) < 20 ? byHash.get(nearest.getAttribute("href")) : null;
  }
  function described(index) {
    const cell = cells[index], { low, high } = curve.dataset;
    const { y } = one(".g-line", curve).points[drawn.indexOf(index)], value = +low + ((high - low) * (214 - y)) / 188;
    const done = all(".dice,.mv", cell).map((part) => part.textContent).join(" ");
    const said = low === "0.0" ? `${(100 * value).toFixed(1)} % ${names[0]}` : `{{ say('script.points') }}`;
    return `${cell.closest(".game").id.replace("g", "{{ say('script.game') }} ")}, ${done}: ${said}`;
  }
  // A finger is told first where it would lead, by a link that is as large as itself.
  function point(event) {
    const index = touched(event) ?? near(event);
    if (index === pointed) return open(index);
    pointed = index;
    mark(index);
    at.replaceChildren(Object.assign(document.createElement("a"), { href: cells[index].hash, textContent: described(index) }));
  }
  curve?.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") at.textContent = ` · ${described(near(event))}`;
  });
  curve?.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") at.textContent = "";
  });
  for (const name of ["mouseover", "focusin"])
    document.addEventListener(name, (event) => {
      const row = event.target.closest?.(".plays tbody tr");
      if (row && section?.contains(row)) show(row);
    });
  for (const name of ["mouseout", "focusout"])
    document.addEventListener(name, (event) => {
      const row = event.target.closest?.(".plays tbody tr");
      if (row && !row.contains(event.relatedTarget)) show(pinned);
    });

  // On paper: every error in full, and all that is folded.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    close();
    unfolded = all("details:is(.stats,.game):not([open])");
    for (const part of unfolded) part.open = true;
    const fit = fits();
    cells.forEach((_, i) => fit(i) && /[pc][123]/.test(kinds(i)) && turns[i].before(take(i)));
  });
  addEventListener("afterprint", () => {
    for (const part of unfolded) part.open = false;
    for (const part of all(".games section.d")) part.remove();
  });

  wide.addEventListener("change", lay);
  addEventListener("hashchange", () => byHash.has(location.hash) && open(byHash.get(location.hash)));
  if (byHash.has(location.hash)) open(byHash.get(location.hash));
  else if (wide.matches && cells.length) open(byHash.get("#" + games.dataset.first) ?? 0, { move: false });
})();
