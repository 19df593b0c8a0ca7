// Variations of a position as a tree, kept by this window.
import { element } from "/static/common.js";
/**
 * @import { Board, Read } from "messages"
 * @typedef {{ board: Board, xgid: string, label: string, comment: string, children: Node[], parent: Node | null }} Node
 */
import { t } from "/static/words.js";

export class Tree {
  /** @type {Node | null} */
  root = null;
  /** @type {Node | null} */
  here = null;

  /**
   * @param {HTMLElement} place the element it fills
   * @param {(node: Node) => unknown} visit told the node that was chosen
   * @param {() => unknown} changed told of every other node here
   */
  constructor(place, visit, changed) {
    this.place = place;
    this.visited = visit;
    this.changed = changed;
  }

  /** A new tree. @param {Read} read */
  begin(read) {
    this.root = this.node(read, t("analyse.root"), null);
    this.to(this.root);
  }
  /** The position here is another one now: edited, or with other dice. What has variations stays, and it is one more. @param {Read} read */
  change(read) {
    const { here } = this;
    if (!here) return this.begin(read);
    if (here.children.length) {
      const dice = read.board.dice ? [...read.board.dice].sort((a, b) => b - a).join("") : "…";
      this.here = here.parent || here;
      return this.grow(read, `${here.label.split(" · ")[0]} · ${dice}`);
    }
    Object.assign(here, { board: read.board, xgid: read.xgid });
    this.to(here);
  }
  /** One further position, unless it is there already. @param {Read} read @param {string} label */
  grow(read, label) {
    const { here } = this;
    if (!here) return this.begin(read);
    const known = here.children.find((each) => each.label === label && each.xgid === read.xgid), made = known || this.node(read, label, here);
    if (!known) here.children.push(made);
    this.to(made);
  }
  /** @param {Node} node */
  visit(node) {
    this.to(node);
  }
  /** Takes a node away with all below it; the one above it. @param {Node} node */
  cut(node) {
    const { parent } = node;
    if (parent) parent.children = parent.children.filter((each) => each !== node);
    return parent || node;
  }
  /** @param {string} comment */
  say(comment) {
    if (!this.here) return;
    this.here.comment = comment;
    this.keep();
    this.show();
  }
  /** Who sits at the bottom: whoever was on roll at first. */
  get side() {
    return this.root?.board.mover ?? 0;
  }
  /** All of it as text. */
  outline() {
    /** @type {string[]} */
    const lines = [];
    const add = (/** @type {Node} */ node, /** @type {number} */ depth) => {
      lines.push(`${"  ".repeat(depth)}${node.label}${depth ? "" : ` ${node.xgid}`}${node.comment ? ` – ${node.comment.replace(/\s+/g, " ")}` : ""}`);
      for (const each of node.children) add(each, depth + 1);
    };
    if (this.root) add(this.root, 0);
    return lines.join("\n");
  }

  /** @param {Read} read @param {string} label @param {Node | null} parent @returns {Node} */
  node({ board, xgid }, label, parent) {
    return { board, xgid, label, parent, comment: "", children: [] };
  }
  /** @param {Node} node */
  to(node) {
    this.here = node;
    this.keep();
    this.show();
    this.changed();
  }
  show() {
    /** @type {(nodes: Node[]) => HTMLElement} */
    const list = (nodes) => element("ul", {}, ...nodes.map((node) => element("li", {}, element("button", { "aria-current": node === this.here && "true", onclick: () => this.visited(node) }, element("b", {}, node.label), node.comment ? element("small", {}, node.comment) : null), node.children.length ? list(node.children) : null)));
    const focus = this.place.contains(document.activeElement);
    this.place.replaceChildren(...(this.root ? [list([this.root])] : []));
    if (focus) /** @type {HTMLElement | null} */ (this.place.querySelector("[aria-current]"))?.focus();
  }

  // Kept as long as the window is open.

  keep() {
    /** @type {(node: Node) => object} */
    const plain = (node) => ({ ...node, parent: undefined, here: node === this.here, children: node.children.map(plain) });
    if (this.root) sessionStorage.tree = JSON.stringify(plain(this.root));
  }
  /** The node of before, if it shows this position; null without one. @param {string} xgid */
  restored(xgid) {
    /** @type {Node | null} */
    let found = null;
    /** @type {(node: any, parent: Node | null) => Node} */
    const linked = (node, parent) => {
      const made = { ...node, parent, here: undefined };
      made.children = node.children.map((/** @type {any} */ each) => linked(each, made));
      if (node.here && node.xgid === xgid) found = made;
      return made;
    };
    try {
      const root = linked(JSON.parse(sessionStorage.tree), null);
      if (found) this.root = root;
    } catch {
      // Nothing was kept.
    }
    return found;
  }
}
