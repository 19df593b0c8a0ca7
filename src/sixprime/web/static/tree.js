// Variations of a position as a tree, kept by this window.
import { element } from "/static/common.js";
import { t } from "/static/words.js";

export class Tree {
  /** place: the element it fills; visit: told the node that was chosen; changed: told of every other node here. */
  constructor(place, visit, changed) {
    Object.assign(this, { place, visited: visit, changed, root: null, here: null });
  }

  /** A new tree. read: a position as the server tells it. */
  begin(read) {
    this.root = this.node(read, t("analyse.root"), null);
    this.to(this.root);
  }
  /** The position here is another one now: edited, or with other dice. What has variations stays, and it is one more. */
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
  /** One further position, unless it is there already. */
  grow(read, label) {
    const known = this.here.children.find((each) => each.label === label && each.xgid === read.xgid);
    if (!known) this.here.children.push(this.node(read, label, this.here));
    this.to(known || this.here.children.at(-1));
  }
  visit(node) {
    this.to(node);
  }
  /** Takes the node here away with all below it; the one above it. */
  cut() {
    const { parent } = this.here;
    parent.children = parent.children.filter((each) => each !== this.here);
    return parent;
  }
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
    const lines = [];
    const add = (node, depth) => {
      lines.push(`${"  ".repeat(depth)}${node.label}${depth ? "" : ` ${node.xgid}`}${node.comment ? ` – ${node.comment.replace(/\s+/g, " ")}` : ""}`);
      for (const each of node.children) add(each, depth + 1);
    };
    if (this.root) add(this.root, 0);
    return lines.join("\n");
  }

  node({ board, xgid }, label, parent) {
    return { board, xgid, label, parent, comment: "", children: [] };
  }
  to(node) {
    this.here = node;
    this.keep();
    this.show();
    this.changed();
  }
  show() {
    const list = (nodes) => element("ul", {}, ...nodes.map((node) => element("li", {}, element("button", { "aria-current": node === this.here && "true", onclick: () => this.visited(node) }, element("b", {}, node.label), node.comment ? element("small", {}, node.comment) : null), node.children.length ? list(node.children) : null)));
    const focus = this.place.contains(document.activeElement);
    this.place.replaceChildren(...(this.root ? [list([this.root])] : []));
    if (focus) this.place.querySelector("[aria-current]")?.focus();
  }

  // Kept as long as the window is open.

  keep() {
    const plain = (node) => ({ ...node, parent: undefined, here: node === this.here, children: node.children.map(plain) });
    sessionStorage.tree = JSON.stringify(plain(this.root));
  }
  /** The node of before, if it shows this position; null without one. */
  restored(xgid) {
    let found = null;
    const linked = (node, parent) => {
      const made = { ...node, parent, here: undefined };
      made.children = node.children.map((each) => linked(each, made));
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
