// Variations of a position as a tree, kept by the server.
import { API, ask, element, failed, falling, say, store } from "/static/common.js";
import { t } from "/static/words.js";

/**
 * @import { Board, Read, Variations } from "messages"
 * @typedef {{ board: Board, xgid: string, label: string, comment: string, children: Variation[], parent: Variation | null }} Variation
 */

/** Milliseconds after which is sent again what nobody has answered. */
const AGAIN = 3000;

export class Tree {
  /** @type {Variation | null} */
  root = null;
  /** @type {Variation | null} */
  here = null;
  key = newKey();
  version = 0;
  /** What the server has, as far as it is known. */
  kept = "";
  /** Until it is sent. @type {number | undefined} */
  timer;
  /** What nobody has taken yet, by its key: another tree may have been begun since. @type {Map<string, ReturnType<Tree["plain"]>>} */
  waiting = new Map();
  /** Until that is sent again. @type {number | undefined} */
  again;
  /** @type {Promise<unknown>} */
  sent = Promise.resolve();

  /**
   * @param {HTMLElement} place the element it fills
   * @param {(node: Variation) => unknown} visit told the node that was chosen
   * @param {() => unknown} changed told of every other node here
   */
  constructor(place, visit, changed) {
    this.place = place;
    this.visited = visit;
    this.changed = changed;
    addEventListener("pagehide", () => this.leave());
  }

  /** A new tree. @param {Pick<Read, "board" | "xgid">} read */
  begin(read) {
    this.flush();
    Object.assign(this, { key: newKey(), version: 0, kept: "" });
    this.root = this.node(read, t("analyse.root"), null);
    this.to(this.root);
  }
  /** The position here is another one now: edited, or with other dice. What has variations stays, and it is one more. @param {Read} read */
  change(read) {
    const { here } = this;
    if (!here) return this.begin(read);
    if (here.children.length) {
      const dice = read.board.dice ? falling(read.board.dice).join("") : "…";
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
  /** @param {Variation} node */
  visit(node) {
    this.to(node);
  }
  /** Takes the node here away with all below it; the one above it. */
  cut() {
    const { here } = this, parent = here?.parent;
    if (parent) parent.children = parent.children.filter((each) => each !== here);
    return parent;
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
  /** All of it, each node after the one above it; as the server has it. */
  plain() {
    /** @type {Variations["nodes"]} */
    const nodes = [];
    let here = 0;
    const add = (/** @type {Variation} */ node, /** @type {number} */ parent) => {
      const number = nodes.length;
      if (node === this.here) here = number;
      nodes.push({ parent, label: node.label, xgid: node.xgid, board: node.board, comment: node.comment });
      for (const each of node.children) add(each, number);
    };
    if (this.root) add(this.root, -1);
    return { key: this.key, version: this.version, nodes, here };
  }

  /** @param {Pick<Read, "board" | "xgid">} read @param {string} label @param {Variation | null} parent @returns {Variation} */
  node({ board, xgid }, label, parent) {
    return { board, xgid, label, parent, comment: "", children: [] };
  }
  /** @param {Variation} node */
  to(node) {
    this.here = node;
    this.keep();
    this.show();
    this.changed();
  }
  show() {
    /** @type {(nodes: Variation[]) => HTMLElement} */
    const list = (nodes) => element("ul", {}, ...nodes.map((node) => element("li", {}, element("button", { "aria-current": node === this.here && "true", onclick: () => this.visited(node) }, element("b", {}, node.label), node.comment ? element("small", {}, node.comment) : null), node.children.length ? list(node.children) : null)));
    const focus = this.place.contains(document.activeElement);
    this.place.replaceChildren(...(this.root ? [list([this.root])] : []));
    if (focus) /** @type {HTMLElement | null} */ (this.place.querySelector("[aria-current]"))?.focus();
  }

  // Kept: by this window at once, so that it goes on where it was, and by the server for the next time.

  get empty() {
    return !this.root || (!this.root.children.length && !this.root.comment.trim());
  }
  keep() {
    store.write("tree", JSON.stringify(this.plain()));
    if (this.empty && !this.version) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), 300);
  }
  /** Sends what has not been sent; what is sent next waits for it. */
  flush() {
    if (!this.timer) return this.sent;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.set(this.key, this.plain());
    return (this.sent = this.sent.then(() => this.deliver()));
  }
  async deliver() {
    const silent = !!this.again;
    clearTimeout(this.again);
    this.again = undefined;
    for (const [key, plain] of [...this.waiting])
      try {
        await this.send(plain);
        if (this.waiting.get(key) === plain) this.waiting.delete(key);
      } catch (error) {
        // That nobody answers is said once; somebody may later.
        if (error.code || !silent) failed(error);
        if (error.code) this.waiting.delete(key);
        else return void (this.again = setTimeout(() => (this.sent = this.sent.then(() => this.deliver())), AGAIN));
      }
  }
  /** @param {Omit<Variations, "version"> & { version: number }} plain */
  async send(plain) {
    const ours = plain.key === this.key, nodes = JSON.stringify(plain.nodes);
    if (ours && nodes === this.kept) return;
    try {
      const { version } = await ask("/variations", ours ? { ...plain, version: this.version } : plain);
      if (ours) this.version = version;
    } catch (error) {
      if (error.code !== "not_allowed" || !ours) throw error;
      // Another window has changed them: both are kept.
      Object.assign(this, { key: newKey(), version: 0 });
      say(t("analyse.changed"));
      this.version = (await ask("/variations", { ...plain, key: this.key, version: 0 })).version;
    }
    if (ours) this.kept = nodes;
    store.write("tree", JSON.stringify(this.plain()));
  }
  /** The page is left, and nothing is waited for any more. */
  leave() {
    const plain = this.plain();
    if (this.timer && JSON.stringify(plain.nodes) !== this.kept) this.waiting.set(this.key, plain);
    clearTimeout(this.timer);
    clearTimeout(this.again);
    this.timer = this.again = undefined;
    for (const each of this.waiting.values()) fetch(`${API}/variations`, { method: "POST", keepalive: true, headers: { "content-type": "application/json" }, body: JSON.stringify(each) }).catch(() => {});
    this.waiting.clear();
  }
  /** Takes a tree for this one; the node that is looked at there. @param {Variations} tree */
  take({ key, version, nodes, here }) {
    /** @type {Variation[]} */
    const made = [];
    for (const { parent, ...node } of nodes) {
      const each = { ...node, parent: made[parent] || null, children: [] };
      made[parent]?.children.push(each);
      made.push(each);
    }
    Object.assign(this, { key, version, root: made[0], here: made[here] });
    this.kept = version ? JSON.stringify(this.plain().nodes) : "";
    return made[here];
  }
  /** What was tried in this position before, if there was anything and nothing is tried yet; null without. */
  async known(/** @type {string} */ xgid, /** @type {number} */ chequers) {
    const { key } = this;
    const found = (await ask("/variations")).trees.find((each) => each.xgid === xgid && each.chequers === chequers);
    const tree = found && (await ask(`/variations/${found.key}`));
    return tree && this.key === key && this.empty && this.root?.xgid === xgid && this.root.board.chequers === chequers ? this.take({ ...tree, here: 0 }) : null;
  }
  /** The node of before in this window, if it shows this position; null without one. */
  restored(/** @type {string} */ xgid, /** @type {number} */ chequers) {
    try {
      const tree = store.object("tree"), shown = tree.nodes[tree.here];
      if (shown.xgid !== xgid || shown.board.chequers !== chequers) return null;
      const node = this.take(tree);
      this.sent = this.sent.then(() => this.settle(tree)).catch(failed);
      return node;
    } catch {
      return null;
    }
  }
  /** What this window sent when it was left has no answer: whether it has come is seen by what the server has. */
  async settle(/** @type {Variations} */ { key, version, nodes }) {
    const kept = await ask(`/variations/${key}`).catch((error) => (error.code === "not_there" ? { version: 0, nodes: [] } : null));
    if (!kept || this.key !== key || this.version !== version) return;
    const same = JSON.stringify(kept.nodes) === JSON.stringify(nodes);
    if (same || !kept.version) this.version = kept.version;
    this.kept = same ? JSON.stringify(nodes) : "";
  }
}
const newKey = () => [...crypto.getRandomValues(new Uint32Array(5))].map((part) => part.toString(36).padStart(7, "0")).join("");
