// What a recorded search shows of its game: Connect 4 as boards, a user's class as the texts that it has of itself.
//
// Both have the same methods: of sides (1 and -1), of moves by their numbers, and of the position after some moves.

import { drawBoard, Position, SIGNS, stoneSign } from "lab/shared/board";
import { html, make } from "lab/shared/svg";

const MOST = 10; // moves of a user's game in the table above the position
const LETTERS = 14; // of a move's name
const NONE = 65535; // as experiments/recordings/positions.py has it
const ENDS = [null, 1, 0, -1];

export const gameOf = ({ position }) => (position.texts ? new TextGame(position) : new BoardGame(position));

class BoardGame {
  constructor(told) {
    this.position = new Position(told);
    this.mover = this.position.toMove;
    this.noun = "column";
    this.rows = this.position.height;
    this.picture = make("svg", {});
  }

  grow() {}
  side(side) { return SIGNS[side]; }
  sign(side) { return stoneSign(side); }
  name(move) { return String(move + 1); }
  title(move) { return this.name(move); }
  legal(moves) { return this.#after(moves).legal(); }

  // The side that has won after some moves, 0 for a draw, null while the game goes on.
  ending(moves) {
    const end = this.#after(moves);
    return end.isFinished() ? end.winner() : null;
  }

  drawnText() { return "the board is full, a draw"; }

  // What stands in the table: places among the root's moves, the columns they have there, and the names of all columns.
  table({ moves }) {
    const labels = Array.from({ length: this.position.width }, (_, column) => String(column + 1));
    return { places: moves.map((_, place) => place), columns: moves, labels };
  }

  draw(path) {
    drawBoard(this.picture, this.position, { path });
    return path.length ? "The numbered stones are the path of this simulation." : null;
  }

  // Another picture, of the position after some moves.
  pictured(path) {
    const svg = make("svg", {});
    drawBoard(svg, this.position, { path });
    return svg;
  }

  #after(moves) {
    const end = this.position.copy();
    for (const move of moves) end.play(move);
    return end;
  }
}

class TextGame {
  constructor({ mover, moves, texts, html: isHtml }) {
    this.mover = mover === 0 ? 1 : -1;
    this.noun = "move";
    this.rows = 6;
    this.isLong = true; // moves and lengths of paths have two bytes
    this.picture = html("div", { class: "own-position" });
    Object.assign(this, { moves, texts, isHtml });
  }

  // Take the tree of the search whose positions are shown; `decoded` reads its numbers.
  grow(tree, decoded) {
    this.tree = tree;
    this.shown = decoded(tree.search.shown, Uint16Array);
    this.ends = decoded(tree.search.ends, Uint8Array);
  }

  side(side) { return side > 0 ? "player 0" : "player 1"; }
  sign(side) { return playerSign(side); }
  drawnText() { return "a draw here"; }
  legal(moves) { return moves.length ? [] : this.tree.search.moves; }

  title(move) { return this.moves[move]; }

  // As short as a table or a drawing has room for.
  name(move) {
    const text = this.moves[move].replaceAll(", ", ",");
    return text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text;
  }

  ending(moves) { return ENDS[this.ends[this.tree.nodesAt(moves).at(-1)] ?? 0]; }

  table({ moves, below, move, finalVisits }) {
    const visits = moves.map((one) => finalVisits[below[0].find((node) => move[node] === one)] ?? 0);
    const best = moves.map((_, place) => place).sort((a, b) => visits[b] - visits[a] || a - b).slice(0, MOST);
    const places = best.sort((a, b) => a - b), labels = places.map((place) => this.name(moves[place]));
    return { places, columns: places.map((_, column) => column), labels };
  }

  draw(path) {
    const { text, after } = this.#textAt(path), key = `${text}`;
    if (this.drawn !== key) this.picture.replaceChildren(positionElement(this.texts[text], this.isHtml));
    this.drawn = key;
    if (!path.length) return null;
    const moves = path.slice(0, after).map((move) => this.name(move)).join(", ");
    if (after === path.length) return `The position after this simulation's path: ${moves}.`;
    return after ? `The position after ${after} of the path's ${path.length} moves: ${moves}.` : "The position before this simulation's path.";
  }

  pictured(path) { return positionElement(this.texts[this.#textAt(path).text], this.isHtml); }

  // The text of the last position on a path that has one: the file has no room for all.
  #textAt(path) {
    const nodes = this.tree.nodesAt(path);
    let after = nodes.length - 1;
    while (after > 0 && this.shown[nodes[after]] === NONE) after -= 1;
    return { text: this.shown[nodes[after]], after };
  }
}

/** Return a picture of who moves in a user's game, to stand in a line of text. */
export function playerSign(side) {
  const word = side > 0 ? "0" : "1", name = side > 0 ? "X" : "O";
  return make(
    "svg", { class: "stone-sign", viewBox: "-0.5 -0.5 1 1", "aria-hidden": "true" },
    make("g", { class: `stone ${name} player` }, make("circle", { class: "disc", r: 0.42 }), make("text", { y: 0.2, "font-size": 0.56, "text-anchor": "middle" }, word)),
  );
}

/** Return a position as its class has it: HTML without scripts and apart from the page's styles, or lines of text. */
export function positionElement(text, isHtml) {
  if (text === undefined) return html("p", { class: "sentence" }, "This file has no room for this position.");
  if (!isHtml) {
    if (text.trim() === "") return html("p", { class: "sentence" }, "No text: give the class a method __str__ or _repr_html_.");
    return html("pre", { class: "position-text", tabindex: "0", role: "group", "aria-label": "Position" }, text);
  }
  const place = html("div", { class: "position-html", role: "group", "aria-label": "Position" }), root = place.attachShadow({ mode: "open" });
  const parsed = new DOMParser().parseFromString(renamed(text), "text/html");
  const sheets = [...parsed.querySelectorAll("lab-style")].map((one) => one.textContent);
  for (const one of parsed.querySelectorAll(UNWANTED)) one.remove();
  root.append(...parsed.body.childNodes);
  for (const one of root.querySelectorAll("*")) {
    for (const { name, value } of [...one.attributes]) {
      if (/^(on|srcdoc$)/i.test(name) || /^[\s\u0000-\u001f]*javascript:/i.test(value)) one.removeAttribute(name);
    }
    if (one.hasAttribute(STYLE)) one.style.cssText = one.getAttribute(STYLE);
  }
  root.adoptedStyleSheets = sheets.map((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    return sheet;
  });
  return place;
}

// A served page's policy allows neither styles nor handlers in HTML, and complains of them: so they get other names. A
// script may set styles.
function renamed(text) {
  const attributes = /(["'\s/])(style|on[a-z]+)(?=\s*=)/gi;
  return text.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(attributes, "$1data-lab-$2")).replace(/<(\/?)style\b/gi, "<$1lab-style");
}

const STYLE = "data-lab-style";
const UNWANTED = "script, style, lab-style, link, meta, base, iframe, frame, object, embed, form, template";
