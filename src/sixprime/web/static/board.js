// A board to play on: the drawing of reports, and above it a layer that is clicked, dragged, tapped and tabbed through.
import { boards, sizes } from "/static/drawing.js";
import { look, say } from "/static/common.js";
import { many, t } from "/static/words.js";

/**
 * @import { Entered } from "messages"
 * @typedef {object} View
 * @property {any} board a position, or what a mask has of one
 * @property {number} bottom whose side is below
 * @property {Entered | null} [entry] a play that is being made
 * @property {Record<string, string>} [plays] arrows
 * @property {string[]} [names]
 * @property {boolean} [roll] whether a click on the dice rolls
 * @property {boolean} [double] whether a click on the cube doubles
 * @property {boolean} [edit] whether clicks put chequers
 * @property {boolean} [mask] whether it is a part of a position
 * @property {boolean} [pips] whether the pips may be told, by default they may
 * @typedef {object} Heard
 * @property {(start: number, end: number) => unknown} [move]
 * @property {() => unknown} [dice]
 * @property {() => unknown} [cube]
 * @property {(point: number, who: number, other: boolean) => unknown} [edit]
 * @typedef {[number, number, number]} Step a player, and where from and to by his points
 * @typedef {number | string | null} Place a point, "dice", "cube" or nothing
 */
const NS = "http://www.w3.org/2000/svg";
/** How many pixels high a finger wants what it touches. */
const FINGER = 40;
/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
export const svg = (name, attributes, text) => {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
};
export const pointName = (/** @type {number} */ point) => (point === 25 ? t("board.bar") : point === 0 ? t("board.off") : t("board.point", { point }));

export class Board {
  /** @type {View | null} */
  view = null;
  /** @type {number | null} */
  selected = null;
  /** @type {{ point: Place, x: number, y: number, other: boolean, ghost: SVGGElement | null } | null} */
  drag = null;
  /** @type {any} */
  at = null;
  /** The chequers that are on their way, null without. @type {object | null} */
  moving = null;
  /** The colour of player 0, and who is below. */
  ink = 0;
  bottom = 0;

  /**
   * @param {HTMLElement} place the element it fills
   * @param {Heard} heard what is told of what is done to it
   */
  constructor(place, heard = {}) {
    this.place = place;
    this.heard = heard;
    this.drawn = svg("svg", { class: "sp-board", viewBox: `0 0 ${sizes.width} ${sizes.height}`, role: "img" });
    this.hits = svg("svg", { class: "hits", viewBox: `0 0 ${sizes.width} ${sizes.height}`, role: "group", "aria-label": t("board.points") });
    place.append(this.drawn, this.hits);
    // What the rims say, where a page has no room for them.
    this.rims = Object.assign(document.createElement("p"), { className: "rims quiet" });
    place.after(this.rims);
    this.hits.addEventListener("pointerdown", (e) => this.down(e));
    this.hits.addEventListener("pointermove", (e) => this.dragged(e));
    this.hits.addEventListener("pointerup", (e) => this.up(e));
    this.hits.addEventListener("pointercancel", () => this.drop());
    this.hits.addEventListener("contextmenu", (e) => e.preventDefault());
    this.hits.addEventListener("keydown", (e) => this.key(e));
    addEventListener("look", () => this.view && this.show(this.view));
  }

  /**
   * @param {View} view
   * @param {Step[] | null} animate chequers that are seen on their way
   */
  show(view, animate = null) {
    this.view = view;
    // What was on its way is drawn no more: it belongs to another view.
    this.moving = null;
    const { board, entry } = view;
    // Of a mask nothing is off, as nothing is said of what is not drawn.
    const tools = (this.tools = boards({ ...sizes, chequers: view.mask ? 0 : board.chequers }));
    const mover = board.mover, counts = board.counts.map((/** @type {number[]} */ side) => [...side]);
    if (entry) [counts[mover], counts[1 - mover]] = entry.counts.map((side) => [...side]);
    this.bottom = look.flip ? 1 - view.bottom : view.bottom;
    this.upside = this.bottom !== mover;
    this.place.classList.toggle("mirrored", look.home === "left");
    this.at = tools.layout(this.upside, look.home === "left");
    this.position = { ...board, counts, cube: board.doubled ? board.cube / 2 : board.cube, dice: entry ? null : board.dice };
    this.ink = look.light ^ view.bottom;
    const put = (/** @type {object} */ position) => {
      this.drawn.innerHTML = tools.draw(position, { bottom: this.bottom, mirrored: look.home === "left", plays: view.plays || {}, from: position, light: this.ink, numbers: look.numbers, pips: look.pips && !view.mask && view.pips !== false }) + (entry ? this.dice(entry, mover) : "");
      if (!board.cube && !board.crawford) this.drawn.querySelectorAll(".sp-cube, .sp-ct").forEach((/** @type {Element} */ each) => each.remove());
    };
    const label = view.mask ? t("library.mask_of") : tools.label({ ...this.position, dice: board.dice }, view.names || [t("player", { number: 1 }), t("player", { number: 2 })], view.pips !== false);
    this.drawn.setAttribute("class", look.theme === "auto" ? "sp-board" : `sp-board sp-${look.theme}`);
    this.drawn.setAttribute("aria-label", label);
    this.rims.textContent = board.length ? [t("board.match", { length: board.length, mine: board.score[mover], theirs: board.score[1 - mover] }), board.crawford ? t("play.crawford") : ""].filter(Boolean).join(", ") : "";
    put(this.position);
    if (animate?.length && look.animate && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.animate(animate, put);
    this.layer();
  }

  /** @param {Entered} entry @param {number} mover */
  dice(entry, mover) {
    const faces = entry.dice[0] === entry.dice[1] ? Array(4).fill(entry.dice[0]) : entry.dice;
    const { strip, half, bar, die, height } = sizes, player = mover ^ this.ink;
    return faces.map((face, i) => {
      const x = this.at.x(strip + half + bar + half / 2) + (i - (faces.length - 1) / 2) * (faces.length > 2 ? 40 : 44);
      const pips = sizes.faces[face - 1].map(([dx, dy]) => `M${x + 10 * dx} ${height / 2 + 10 * dy}h0`).join("");
      return `<g class="${entry.used[i] ? "used" : ""}"><rect class="sp-d${player}" x="${x - die / 2}" y="${height / 2 - die / 2}" width="${die}" height="${die}" rx="7"/><path class="sp-q${player}" d="${pips}"/></g>`;
    }).join("");
  }

  /**
   * Chequers on their way.
   * @param {Step[]} steps
   * @param {(position: object) => void} put draws a position
   */
  animate(steps, put) {
    const mover = this.position.mover, counts = this.position.counts.map((/** @type {number[]} */ side) => [...side]);
    /** @type {[number, number[]][]} */
    const trips = [];
    for (const [player, start, end] of steps) {
      // One that goes on is the same chequer.
      const begun = trips.find(([of, points]) => of === player && points.at(-1) === start);
      if (begun) begun[1].push(end);
      else trips.push([player, [start, end]]);
    }
    const ways = trips.map(([player, points]) => {
      const who = player === mover ? 0 : 1, end = points[points.length - 1];
      const stops = points.slice(0, -1).map((point) => this.at.place(point, Math.min(counts[player][point], point === 25 ? 3 : 4), who));
      stops.push(this.at.place(end, end ? Math.min(Math.max(counts[player][end] - 1, 0), 4) : 7, who));
      // On its way it is on no point, but not off either.
      if (!end || counts[player][end]) counts[player][0] += 1;
      if (end && counts[player][end]) counts[player][end] -= 1;
      return /** @type {const} */ ([stops, player ^ this.ink]);
    });
    const said = [...this.drawn.querySelectorAll(".sp-p")].map((each) => each.textContent);
    put({ ...this.position, counts });
    this.drawn.querySelectorAll(".sp-p").forEach((each, i) => (each.textContent = said[i]));
    const moving = ways.map(([stops, ink]) => {
      const group = svg("g", {});
      for (const kind of ["e", "c"]) group.append(svg("path", { class: `sp-${kind}${ink}`, d: "M0 0h0" }));
      this.drawn.append(group);
      return /** @type {const} */ ([group, stops]);
    });
    const begun = performance.now(), token = (this.moving = {}), lasts = 220 * Math.max(...moving.map(([, stops]) => stops.length - 1));
    const frame = (/** @type {number} */ now) => {
      if (this.moving !== token) return;
      // A frame may have begun before.
      const share = Math.min(Math.max(0, now - begun) / lasts, 1), eased = 1 - (1 - share) ** 3;
      for (const [group, stops] of moving) {
        const way = eased * (stops.length - 1), leg = Math.min(Math.floor(way), stops.length - 2), [[x0, y0], [x1, y1]] = stops.slice(leg);
        group.setAttribute("transform", `translate(${x0 + (x1 - x0) * (way - leg)} ${y0 + (y1 - y0) * (way - leg)})`);
      }
      if (share < 1) requestAnimationFrame(frame);
      else put(this.position);
    };
    frame(begun);
  }

  // The layer

  /** @param {number} point */
  box(point, who = 0) {
    const { width, height, strip, half, bar, tray, edge } = sizes, top = this.at.top(who);
    if (point === 25) return [this.at.x(strip + half + bar / 2) - bar / 2, edge, bar, height - 2 * edge];
    if (point === 0) return [this.at.x(width - tray / 2) - tray / 2, top ? 0 : height / 2, tray, height / 2];
    const [x, y] = this.at.place(point, 0, who);
    return [x - 20, y < height / 2 ? 0 : height / 2, 40, height / 2];
  }
  /** @param {Place} point */
  source(point) {
    return this.view?.entry?.sources.find((each) => each.point === point);
  }
  layer() {
    if (!this.view) return;
    const focus = this.hits.contains(document.activeElement) ? document.activeElement : null;
    this.hits.replaceChildren();
    const { entry, board } = this.view, targets = this.selected === null ? [] : this.source(this.selected)?.ends || [];
    if (this.view.edit) this.editLayer();
    else if (entry) {
      for (let point = 25; point >= 0; point--) {
        const from = this.source(point), to = targets.includes(point);
        const [x, y, width, height] = this.box(point);
        const hit = svg("rect", { x, y, width, height, "data-p": point, rx: 4 });
        if (from || to) {
          const count = entry.counts[0][point];
          hit.setAttribute("tabindex", "0");
          hit.setAttribute("role", "button");
          hit.setAttribute("aria-label", to ? t("board.to", { point: pointName(point) }) : many("board.from", count, { point: pointName(point) }));
          if (from && !to) hit.setAttribute("aria-pressed", String(point === this.selected));
        }
        hit.setAttribute("class", [from ? "from" : "", to ? "to" : "", point === this.selected ? "selected" : ""].join(" ").trim());
        this.hits.append(hit);
        if (to) {
          const [cx, cy] = point ? this.at.place(point, Math.min(entry.counts[0][point], 4), 0) : [x + width / 2, y + height / 2];
          this.hits.append(svg("circle", { class: "target", cx, cy, r: 7 }));
        }
      }
      const { strip, half, bar, height } = sizes, doublet = entry.dice[0] === entry.dice[1], wide = doublet ? 170 : 92, high = this.least(44);
      // The dice of a doublet cannot be swapped.
      if (entry.done || !doublet)
        this.button("dice", this.at.x(strip + half + bar + half / 2) - wide / 2, height / 2 - high / 2, wide, high, !entry.done ? t("board.dice", { dice: entry.dice.join(", ") }) : entry.play ? t("board.play", { play: entry.play }) : t("act.go_on"));
    } else if (this.view.roll) {
      const { strip, half, bar, height } = sizes;
      this.button("dice", this.at.x(strip + half + bar + half / 2) - half / 2, 22, half, height - 44, t("prompt.roll"));
    }
    if (this.view.double && board.cube) {
      const own = this.drawn.querySelector(".sp-cube");
      const size = this.least(44), out = (size - 32) / 2;
      if (own) this.button("cube", Number(own.getAttribute("x")) - out, Number(own.getAttribute("y")) - out, size, size, t("board.cube", { cube: board.cube }));
    }
    /** @type {(where: string) => SVGElement | null} */
    const one = (where) => this.hits.querySelector(where);
    if (!focus) return;
    const same = ["data-p", "data-who"].filter((name) => focus.hasAttribute(name)).map((name) => `[${name}="${focus.getAttribute(name)}"]`).join("");
    (one(`${same}[tabindex]`) || one("[tabindex]"))?.focus({ preventScroll: true });
  }
  editLayer() {
    for (const who of [0, 1])
      for (let point = 25; point >= 0; point--) {
        if (who === 1 && point > 0 && point < 25) continue;
        let [x, y, width, height] = this.box(point, who);
        if (point === 25) [y, height] = [this.at.top(who) ? sizes.height / 2 - 240 : sizes.height / 2, 240];
        const { counts, mover } = this.position, rival = counts[1 - mover][25 - point];
        const theirs = who || (point % 25 && rival), count = who ? counts[1 - mover][point] : theirs || counts[mover][point];
        this.hits.append(svg("rect", { x, y, width, height, "data-p": point, "data-who": who, tabindex: 0, role: "button", class: "from", "aria-label": t(theirs ? "board.theirs" : "board.mine", { point: pointName(point), count }) }));
      }
  }
  /** @param {string} name @param {number} x @param {number} y @param {number} width @param {number} height @param {string} label */
  button(name, x, y, width, height, label) {
    this.hits.append(svg("rect", { x, y, width, height, rx: 8, "data-p": name, class: "act", tabindex: 0, role: "button", "aria-label": label }));
  }

  /** So many units, or as many as a finger needs. @param {number} units */
  least(units) {
    return Math.max(units, (FINGER * sizes.width) / (this.place.clientWidth || sizes.width));
  }

  /** What can be done first on it, if anything can. @returns {SVGElement | null} */
  first() {
    return this.hits.querySelector("[tabindex]");
  }

  // What is done to it

  /**
   * What is under a pointer; a finger means what it misses by less than half of its width.
   * @param {PointerEvent} event @param {string} meant
   */
  under({ clientX: x, clientY: y, pointerType }, meant = "[tabindex]") {
    let found = document.elementsFromPoint(x, y).find((each) => each.hasAttribute("data-p") && this.hits.contains(each));
    if (pointerType === "touch" && !found?.matches(meant)) {
      const away = (/** @type {Element} */ each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
      };
      const [nearest] = [...this.hits.querySelectorAll(meant)].sort((a, b) => away(a) - away(b));
      if (nearest && away(nearest) < FINGER / 2) found = nearest;
    }
    return found ? this.named(found) : { point: null, who: 0 };
  }
  /** @param {Element} hit @returns {{ point: Place, who: number }} */
  named(hit) {
    const name = hit.getAttribute("data-p");
    return { point: name === null || isNaN(+name) ? name : +name, who: Number(hit.getAttribute("data-who")) };
  }
  /** @param {PointerEvent} event */
  down(event) {
    // Nothing is there to be touched before the first position; a second finger moves nothing.
    if (!this.view || !event.isPrimary) return;
    const { point } = this.under(event);
    this.drag = { point, x: event.clientX, y: event.clientY, other: event.button === 2 || event.shiftKey, ghost: null };
    if (typeof point === "number") this.hits.setPointerCapture(event.pointerId);
  }
  /** @param {PointerEvent} event */
  dragged(event) {
    const drag = this.drag;
    if (!drag || this.view?.edit || typeof drag.point !== "number" || !this.source(drag.point)) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 6) {
      this.selected = drag.point;
      this.layer();
      drag.ghost = svg("g", { class: "ghost" });
      for (const kind of ["e", "c"]) drag.ghost.append(svg("path", { class: `sp-${kind}${this.position.mover ^ this.ink}`, d: "M0 0h0" }));
      this.drawn.append(drag.ghost);
    }
    if (drag.ghost) {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.hits.getScreenCTM()?.inverse());
      drag.ghost.setAttribute("transform", `translate(${at.x} ${at.y})`);
    }
  }
  /** @param {PointerEvent} event */
  up(event) {
    const drag = this.drag;
    if (!drag || !event.isPrimary) return;
    this.drag = null;
    const { point, who } = this.under(event, drag.ghost ? ".to" : "[tabindex]");
    if (drag.ghost) {
      drag.ghost.remove();
      this.selected = null;
      if (typeof drag.point === "number" && typeof point === "number" && this.source(drag.point)?.ends.includes(point)) this.heard.move?.(drag.point, point);
      else this.layer();
    } else if (point !== null && point === drag.point) this.choose(point, who, drag.other);
  }
  drop() {
    if (!this.view) return;
    this.drag?.ghost?.remove();
    this.drag = null;
    this.selected = null;
    this.layer();
  }
  /** @param {Place} point @param {number} who @param {boolean} other */
  choose(point, who, other) {
    if (point === "dice") return this.heard.dice?.();
    if (point === "cube") return this.heard.cube?.();
    if (typeof point !== "number") return;
    if (this.view?.edit) return this.heard.edit?.(point, who, other);
    const chosen = this.selected;
    if (chosen !== null && chosen !== point && this.source(chosen)?.ends.includes(point)) {
      this.selected = null;
      return this.heard.move?.(chosen, point);
    }
    const source = this.source(point);
    this.selected = null;
    if (!source) return this.layer();
    // A click moves at once: by the left die, with the right button by the other; by whichever can be played.
    const end = other ? (source.other ?? source.quick) : (source.quick ?? source.other);
    if (end === null) {
      this.selected = point;
      return this.layer();
    }
    this.heard.move?.(point, end);
  }
  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "Enter" && event.key !== " ") return;
    if (!(event.target instanceof Element) || !event.target.hasAttribute("data-p")) return;
    event.preventDefault();
    event.stopPropagation();
    const { point, who } = this.named(event.target);
    this.choose(point, who, event.shiftKey);
  }
}

/**
 * The board after a click of whoever edits it.
 * @template {{ counts: number[][], mover: number, chequers: number }} B
 * @param {B} board
 * @param {number} point
 * @param {number} who whose tray or bar it was
 * @param {boolean} other whether it is for a chequer of the opponent
 * @returns {B}
 */
export function edited(board, point, who, other) {
  const next = structuredClone(board), mover = next.mover;
  const side = next.counts[other ? 1 - mover : mover], rival = next.counts[other ? mover : 1 - mover];
  if (point === 0 || point === 25) {
    const own = next.counts[who ? 1 - mover : mover];
    if (point === 25) own[25] = (own[25] + 1) % 6;
    else if (own.some((count) => count)) own[own.findIndex((count) => count)] -= 1;
  } else {
    const mirror = 25 - point, [mine, theirs] = other ? [mirror, point] : [point, mirror];
    if (rival[theirs]) rival[theirs] -= 1;
    else if (side.reduce((a, b) => a + b) < next.chequers) side[mine] += 1;
    else if (side[mine]) side[mine] -= 1;
    else say(t("board.none_left"));
  }
  return next;
}
