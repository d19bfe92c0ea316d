// The top of a search tree as a drawing: edges as thick as visits, nodes coloured by mean.

import { decimals, html, make, number, onWidth, unique } from "lab/shared/svg";

const SLOT = 19, RADIUS = 8.5, RISE = 60, THICK = 22, MARGIN = 12, SIGN = 17; // pixels
const LETTER = 6.2; // and of a letter of a move's name
const BETWEEN = 0.4; // slots between the replies to two moves
const REACH = 26; // how far from a node a finger may land

/**
 * The top two to four levels of a tree, as many as there is room for.
 *
 * A tree has arrays with an entry for every node, the root first: `parent`, `move` (columns from 0), `visits` and
 * `values` (means for the side that moved into the node), and may have `finalVisits` (the visits at the end of a
 * recording) and `legal(node)` (its moves). Places follow from finalVisits alone, so that no node moves while a search
 * plays: the room goes to the replies of the nodes that are visited most in the end. `onNode(node, moves)` is told
 * which node the reader chose, and the moves from the root to it; node is -1 for a move that was never tried.
 * `sign(depth)` returns a picture of the side that moves into the nodes of a level, to stand before it; `picture(moves)`
 * one of the position of a node, to stand below the tree while the node is chosen. `name(move)` is what a move is
 * called: "3" for column 2; `title(move)` is its whole name, in sentences; `thing` is what a picture shows. With `fits`
 * no more moves of a position are drawn than there is room for, the most visited ones.
 */
export class TreeView {
  constructor(element, { onNode = () => {}, sign = null, picture = null, levels = 4, name = (move) => `${move + 1}`, title = name, thing = "board", fits = false } = {}) {
    this.onNode = onNode;
    Object.assign(this, { called: name, title, thing, fits });
    this.picture = picture;
    this.sign = sign;
    this.levels = levels;
    this.tree = null;
    this.shown = null; // the moves to the position that is pictured
    this.lit = new Set();
    this.chosen = null;
    this.name = unique("tree");
    this.svg = make("svg", { class: "tree", role: "tree", tabindex: 0, "aria-label": "The top of the search tree" });
    this.box = html("div", { class: "tree-box" }, this.svg);
    this.said = html("p", { class: "tree-said" });
    this.pictured = html("div", { class: "tree-picture" });
    element.append(this.box, html("div", { class: "tree-chosen" }, this.pictured, this.said), legend());
    this.unwatch = onWidth(this.box, (width) => this.#lay(width));
    this.svg.addEventListener("click", (event) => this.#point(event));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show a tree as it is now; `path` holds the nodes of the path that lights up. */
  update(tree, { path = [], levels = this.levels } = {}) {
    const other = tree !== this.tree || levels !== this.levels;
    this.tree = tree;
    this.levels = levels;
    this.lit = new Set(path);
    if (other) {
      this.chosen = null;
      this.top = null;
    }
    if (!this.width) return;
    if (!this.top) this.#lay(this.width);
    else this.#show();
  }

  /** Choose no node. */
  forget() {
    this.chosen = null;
    if (this.top) this.#show();
  }

  destroy() {
    this.unwatch();
    this.box.parentElement?.replaceChildren();
  }

  #lay(width) {
    this.width = width;
    if (!this.tree) return;
    const before = this.chosen?.moves.join();
    const start = MARGIN + (this.sign ? SIGN : 0), room = width - start - MARGIN;
    const longest = Math.max(2, ...this.#names()), slot = Math.max(SLOT, longest * LETTER + 12);
    const most = Math.floor(room / slot);
    this.top = topOf(this.tree, this.levels, most, this.fits ? Math.max(2, Math.floor(most / 2)) : Infinity);
    const slots = this.top.leaves, wide = Math.max(width, slots * slot + start + MARGIN);
    const gap = Math.min((wide - start - MARGIN) / slots, Math.max(64, slot)), left = (wide + start - MARGIN - gap * slots) / 2;
    const height = 2 * MARGIN + 2 * RADIUS + RISE * this.top.depth + 6;
    for (const one of this.top.nodes) {
      one.x = left + gap * one.slot;
      one.y = MARGIN + RADIUS + RISE * one.depth;
    }
    this.svg.setAttribute("width", wide);
    this.svg.setAttribute("height", height);
    const edges = make("g", { class: "edges", role: "presentation" });
    const nodes = make("g", { class: "nodes", role: "presentation" });
    for (const [i, one] of this.top.nodes.entries()) {
      if (one.above) {
        const { x, y } = one.above, middle = (y + one.y) / 2;
        one.edge = make("path", { d: `M${x} ${y}C${x} ${middle} ${one.x} ${middle} ${one.x} ${one.y}` });
        edges.append(one.edge);
      }
      if (one.more) {
        one.stub = make("path", { class: "deeper", d: `M${one.x} ${one.y + RADIUS}v14` });
        edges.append(one.stub);
      }
      one.title = make("title");
      const half = one.above && longest > 2 ? (longest * LETTER) / 2 + 4 : RADIUS;
      one.circle = half === RADIUS ? make("circle", { r: RADIUS })
        : make("rect", { x: -half, y: -RADIUS, width: 2 * half, height: 2 * RADIUS, rx: RADIUS });
      const text = make("text", { "text-anchor": "middle", y: 3.6 }, one.above ? this.called(one.move) : "");
      one.group = make("g", {
        id: `${this.name}-${i}`, role: "treeitem", "aria-level": one.depth + 1, "aria-selected": "false",
        transform: `translate(${one.x} ${one.y})`,
      }, one.title, one.circle, text);
      nodes.append(one.group);
    }
    this.svg.replaceChildren(edges, nodes, ...this.#signs());
    if (wide > width) this.box.scrollLeft = this.top.nodes[0].x - width / 2;
    this.chosen = this.top.nodes.find((one) => one.moves.join() === before) ?? null;
    this.#show();
  }

  // The lengths of the names of moves near the root.
  #names() {
    const { parent, move } = this.tree, found = new Set();
    for (let node = 1; node < parent.length; node += 1) found.add(move[node]);
    return [...found].map((one) => this.called(one).length);
  }

  #signs() {
    const depths = this.sign ? Array.from({ length: this.top.depth }, (_, above) => above + 1) : [];
    return depths.map((depth) => {
      const sign = this.sign(depth), y = MARGIN + RADIUS + RISE * depth - SIGN / 2;
      for (const [key, value] of Object.entries({ x: 0, y, width: SIGN, height: SIGN })) sign.setAttribute(key, value);
      return sign;
    });
  }

  #show() {
    const { visits, values } = this.tree, all = visits[0] || 1;
    for (const one of this.top.nodes) {
      const n = one.node < 0 ? 0 : visits[one.node], lit = n > 0 && this.lit.has(one.node);
      one.group.setAttribute("class", `node${n ? "" : " unvisited"}${lit ? " lit" : ""}`);
      one.group.setAttribute("aria-selected", one === this.chosen ? "true" : "false");
      if (n) {
        const [colour, pale] = colourOf(values[one.node]);
        one.circle.style.fill = colour;
        one.group.classList.toggle("dark", !pale);
      } else {
        one.circle.style.fill = "";
      }
      if (one.edge) {
        one.edge.setAttribute("class", `edge${n ? "" : " unvisited"}${lit ? " lit" : ""}`);
        one.edge.style.strokeWidth = n ? Math.max(lit ? 2 : 1, (THICK * n) / all) : 1;
      }
      one.stub?.setAttribute("class", `deeper${n > 1 ? "" : " hidden"}${lit && this.#goesOn(one) ? " lit" : ""}`);
      const said = this.#sentence(one, n);
      one.title.textContent = said;
      one.group.setAttribute("aria-label", said);
    }
    if (this.chosen) this.svg.setAttribute("aria-activedescendant", this.chosen.group.id);
    else this.svg.removeAttribute("aria-activedescendant");
    const moves = this.chosen?.moves.join() ?? null;
    if (moves !== this.shown) this.pictured.replaceChildren(...(this.chosen && this.picture ? [this.picture(this.chosen.moves)] : []));
    this.shown = moves;
    this.said.textContent = this.chosen ? this.chosen.title.textContent : `Choose a node to see its ${this.thing}.`;
  }

  // Whether the path goes on below a node whose replies are not drawn.
  #goesOn(one) {
    for (const node of this.lit) if (this.tree.parent[node] === one.node && node > 0) return true;
    return false;
  }

  #sentence(one, n) {
    const name = one.above ? `After ${one.moves.map((move) => this.title(move)).join(", ")}` : "The position";
    if (!n) return `${name}: not visited.`;
    const share = one.above ? ` (${number((100 * n) / (this.tree.visits[0] || 1), 2)} %)` : "";
    return `${name}: ${number(n)} visit${n === 1 ? "" : "s"}${share}, mean ${decimals(this.tree.values[one.node], 3)}.`;
  }

  #choose(one) {
    this.chosen = one;
    this.#show();
    one.group.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    this.onNode(one.node, one.moves);
  }

  #point(event) {
    if (!this.top) return;
    const box = this.svg.getBoundingClientRect();
    const away = (one) => Math.hypot(one.x - (event.clientX - box.left), one.y - (event.clientY - box.top));
    const near = this.top.nodes.reduce((best, one) => (away(one) < away(best) ? one : best));
    if (away(near) <= REACH) this.#choose(near);
  }

  #key(event) {
    if (!this.top || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = this.chosen ?? this.top.nodes[0], row = this.top.nodes.filter((one) => one.depth === at.depth);
    const place = row.indexOf(at);
    const visits = (one) => (one.node < 0 ? 0 : this.tree.visits[one.node]);
    const next = {
      ArrowLeft: () => row[place - 1],
      ArrowRight: () => row[place + 1],
      ArrowUp: () => at.above,
      ArrowDown: () => at.below.reduce((best, one) => (!best || visits(one) > visits(best) ? one : best), null),
      Home: () => this.top.nodes[0],
      Enter: () => at,
      " ": () => at,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation(); // these keys also move through a recording
    const one = next();
    if (one) this.#choose(one);
  }
}

/** Return what is drawn: nodes with depth, place in units of a slot, the node above and those below. */
function topOf(tree, levels, room, most) {
  const final = tree.finalVisits ?? tree.visits;
  const children = childrenOf(tree, levels);
  const below = (one) => {
    if (one.node < 0) return [];
    const known = children.get(one.node) ?? [], visits = known.reduce((sum, node) => sum + final[node], 0);
    const whole = final[one.node] - visits <= 1; // else the tree was cut, and a move that is missing may have visits
    const moves = new Map((whole ? tree.legal?.(one.node) ?? [] : []).map((move) => [move, -1]));
    for (const node of known) moves.set(tree.move[node], node);
    const visitsOf = ([, node]) => (node < 0 ? -1 : final[node]);
    const drawn = moves.size > most ? [...moves].sort((a, b) => visitsOf(b) - visitsOf(a)).slice(0, most) : [...moves];
    return drawn.sort(([a], [b]) => a - b).map(([move, node]) => ({
      node, move, depth: one.depth + 1, above: one, below: [], moves: [...one.moves, move],
    }));
  };
  const root = { node: 0, move: -1, depth: 0, above: null, below: [], moves: [] };
  const nodes = [root], open = [root];
  let leaves = 1; // and the gaps between them, in slots
  while (open.length) { // the node of most visits is next to show its replies, while there is room
    open.sort((a, b) => final[b.node] - final[a.node] || a.depth - b.depth || a.slot - b.slot);
    const one = open.shift(), found = below(one);
    if (!found.length) continue;
    if (one.depth > 0 && nodes.length > root.below.length + 1 && leaves - 1 + BETWEEN + found.length > room) {
      one.more = true;
      continue;
    }
    one.below = found;
    leaves += found.length - 1 + BETWEEN;
    nodes.push(...found);
    for (const child of found) {
      const grown = child.node >= 0 && (children.get(child.node)?.length ?? 0) > 0;
      if (grown && child.depth < levels) open.push(child);
      child.more = grown && child.depth >= levels;
    }
  }
  let free = 0;
  const place = (one) => {
    one.below.forEach(place);
    if (one.below.length) free += BETWEEN;
    one.slot = one.below.length ? (one.below[0].slot + one.below.at(-1).slot) / 2 : (free += 1) - 0.5;
  };
  place(root);
  leaves = free - BETWEEN;
  nodes.sort((a, b) => a.depth - b.depth || a.slot - b.slot);
  return { nodes, leaves, depth: Math.max(...nodes.map((one) => one.depth)) };
}

/** Return the children of the nodes above and on the last level that is drawn. */
function childrenOf({ parent, visits }, levels) {
  const depths = new Int32Array(visits.length), found = new Map();
  for (let node = 1; node < visits.length; node += 1) {
    depths[node] = depths[parent[node]] + 1;
    if (depths[node] > levels + 1) continue;
    const list = found.get(parent[node]);
    if (list) list.push(node);
    else found.set(parent[node], [node]);
  }
  return found;
}

/** Return the colour of a mean from 0 to 1, and whether dark letters are read on it. */
export function colourOf(mean) {
  const share = Math.min(1, Math.abs(2 * mean - 1) ** 0.7), end = mean < 0.5 ? "low" : "high";
  const colour = `color-mix(in oklab, var(--mean-${end}) ${(100 * share).toFixed(0)}%, var(--mean-middle))`;
  return [colour, share < (mean < 0.5 ? 0.6 : 0.8)];
}

function legend() {
  const edge = (width) => make("line", { x1: 1, x2: 17, y1: 8, y2: 8, class: "edge", style: `stroke-width:${width}` });
  const drawn = (...inside) => make("svg", { width: 18, height: 16, "aria-hidden": "true" }, ...inside);
  const stops = [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1].map((mean) => `${colourOf(mean)[0]} ${100 * mean}%`);
  const scale = html("i", { class: "scale", "aria-hidden": "true" });
  scale.style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
  const empty = make("circle", { class: "unvisited", cx: 9, cy: 8, r: 6 });
  return html("p", { class: "tree-legend" },
    html("span", {}, "mean for the side that moved there: 0 ", scale, " 1"),
    html("span", {}, drawn(edge(1.5)), drawn(edge(9)), " share of all visits"),
    html("span", {}, drawn(empty), " not visited"),
  );
}
