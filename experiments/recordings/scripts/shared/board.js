// Connect 4 on any board: its rules, its notation, and its picture, drawn as connect4/drawing.py draws it.

import { make } from "lab/shared/svg";

export const SIGNS = { 1: "X", "-1": "O", 0: "." };

/** Return the columns, from 0, of a string that counts them from 1: "4453", or "4,11" beyond nine columns. */
export function parseMoves(text, width) {
  const bare = text.trim();
  const words = bare === "" ? [] : bare.includes(",") || width > 9 ? bare.split(",") : [...bare];
  return words.map((word, place) => {
    const column = Number(word.trim()) - 1;
    if (!/^\d{1,2}$/.test(word.trim()) || column < 0 || column >= width) {
      const commas = width > 9 ? ", separated by commas" : "";
      throw new RangeError(`moves must be columns from 1 to ${width}${commas}; at move ${place + 1} got ${word.trim()}`);
    }
    return column;
  });
}

/** Write columns, from 0, as such a string. */
export function writeMoves(columns, width) {
  return columns.map((column) => column + 1).join(width > 9 ? "," : "");
}

/** A position: `cells[row * width + column]` is 0, 1 (X, who begins) or -1 (O), row 0 on top. */
export class Position {
  constructor({ width = 7, height = 6, connect = 4, moves = [] } = {}) {
    Object.assign(this, { width, height, connect, moves: [], cells: new Int8Array(width * height) });
    for (const column of typeof moves === "string" ? parseMoves(moves, width) : moves) this.play(column);
  }

  get toMove() {
    return this.moves.length % 2 === 0 ? 1 : -1;
  }

  /** Return another object of the same position. */
  copy() {
    return new Position(this);
  }

  /** Return the row where a stone in this column would land, or -1 where the column is full. */
  landing(column) {
    let row = this.height - 1;
    while (row >= 0 && this.cells[row * this.width + column] !== 0) row -= 1;
    return row;
  }

  play(column) {
    const row = column >= 0 && column < this.width ? this.landing(column) : -1;
    if (row < 0) throw new RangeError(`column ${column + 1} takes no stone`);
    this.cells[row * this.width + column] = this.toMove;
    this.moves.push(column);
  }

  undo() {
    const column = this.moves.pop();
    if (column !== undefined) this.cells[(this.landing(column) + 1) * this.width + column] = 0;
    return column;
  }

  /** Return the columns that take a stone; none once the game has been won. */
  legal() {
    if (this.winner() !== 0) return [];
    return Array.from({ length: this.width }, (_, column) => column).filter((column) => this.landing(column) >= 0);
  }

  /** Return 1 or -1 for the side that has a row of `connect` stones, 0 otherwise. */
  winner() {
    const [cells] = this.winningRows();
    return cells ? this.cells[cells[0]] : 0;
  }

  isFinished() {
    return this.legal().length === 0;
  }

  /** Return the rows that win, each as places in `cells`, the longer where one runs on. */
  winningRows() {
    const { width, height, connect, cells } = this, found = [];
    for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
      const at = (row, column) =>
        row >= 0 && row < height && column >= 0 && column < width ? cells[row * width + column] : 0;
      for (let row = 0; row < height; row += 1) {
        for (let column = 0; column < width; column += 1) {
          const side = at(row, column);
          if (side === 0 || at(row - down, column - right) === side) continue;
          const run = [];
          for (let r = row, c = column; at(r, c) === side; r += down, c += right) run.push(r * width + c);
          if (run.length >= connect) found.push(run);
        }
      }
    }
    return found;
  }

  winningCells() {
    return [...new Set(this.winningRows().flat())];
  }

  /** Say the size and how the game stands. */
  title() {
    const size = `Connect ${this.connect} on ${this.width} × ${this.height}`, stones = this.moves.length;
    const winner = this.winner(), after = `after ${stones} stone${stones === 1 ? "" : "s"}`;
    if (winner !== 0) return `${size}: ${SIGNS[winner]} has won ${after}`;
    if (this.isFinished()) return `${size}: a draw`;
    return `${size}: ${SIGNS[this.toMove]} to move ${after}`;
  }

  /** Say which stones lie in a column, from below. */
  columnText(column) {
    const stones = [];
    for (let row = this.height - 1; row > this.landing(column); row -= 1) {
      stones.push(SIGNS[this.cells[row * this.width + column]]);
    }
    return `column ${column + 1}: ${stones.length ? `${stones.join(" ")} from below` : "empty"}`;
  }
}

const RADIUS = 0.42, TEXT = 0.36, BASE = 0.42, LINE = 0.5; // in cells, as in connect4/drawing.py

/**
 * Draw a position into an <svg> element, which keeps its size while stones come and go.
 *
 * Options: `last` (true: mark the last stone), `path` (columns that are tried from here on: their stones are pale and
 * numbered), `marks` (a short text below each column; null for none), `onColumn` (called with the column that a reader
 * clicks, or chooses with the keyboard; each column is then a button), `label` (said in place of the position's title).
 */
export function drawBoard(svg, position, { last = true, path = [], marks = null, onColumn = null, label = null } = {}) {
  const { width, height } = position, tried = position.copy();
  for (const column of path) tried.play(column);
  const size = `0 -0.06 ${width} ${height + 0.62 + (marks ? LINE : 0)}`;
  if (svg.getAttribute("viewBox") !== size || svg.dataset.buttons !== String(Boolean(onColumn))) {
    svg.replaceChildren(...layers(position, Boolean(onColumn)));
    svg.setAttribute("viewBox", size);
    svg.dataset.buttons = Boolean(onColumn);
    svg.classList.add("board");
  }
  const said = label ?? position.title();
  svg.setAttribute("role", onColumn ? "group" : "img");
  const columns = Array.from({ length: width }, (_, column) => tried.columnText(column));
  svg.setAttribute("aria-label", onColumn ? said : `${said}. ${columns.join("; ")}.`);
  const first = position.moves.length;
  const state = JSON.stringify([tried.moves, first, last, marks, onColumn && said]);
  if (svg.dataset.state === state) {
    svg.onColumn = onColumn;
    return;
  }
  svg.dataset.state = state;
  svg.querySelector(".rows").replaceChildren(...tried.winningRows().map((row) => band(row, width)));
  svg.querySelector(".stones").replaceChildren(...stonesOf(tried, first, last));
  svg.querySelector(".marks").replaceChildren(
    ...(marks ?? []).map((text, column) =>
      make("text", { x: column + 0.5, y: height + BASE + LINE, "font-size": 0.3, "text-anchor": "middle" }, text ?? ""),
    ),
  );
  svg.onColumn = onColumn;
  if (onColumn) nameButtons(svg, position, marks);
}

/** Return a small stone as an <svg> element, to stand in a line of text. */
export function stoneSign(side) {
  const sign = make("svg", { class: "stone-sign", viewBox: "-0.5 -0.5 1 1", "aria-hidden": "true" });
  sign.append(stone(0, 0, side));
  return sign;
}

function layers(position, buttons) {
  const { width, height } = position;
  const holes = make("g", { class: "holes" }), numbers = make("g", { class: "numbers" });
  for (let column = 0; column < width; column += 1) {
    for (let row = 0; row < height; row += 1) {
      holes.append(make("circle", { cx: column + 0.5, cy: row + 0.5, r: RADIUS }));
    }
    const size = width < 10 ? TEXT : 0.32;
    numbers.append(
      make("text", { x: column + 0.5, y: height + BASE, "font-size": size, "text-anchor": "middle" }, column + 1),
    );
  }
  const parts = [
    make("rect", { class: "frame", width, height, rx: 0.2 }), make("g", { class: "rows" }), holes,
    make("g", { class: "stones" }), numbers, make("g", { class: "marks" }),
  ];
  if (buttons) {
    const all = make("g", { class: "columns" });
    for (let column = 0; column < width; column += 1) all.append(columnButton(position, column));
    parts.push(all);
  }
  return parts;
}

function columnButton({ width, height }, column) {
  const button = make(
    "g", { class: "column", role: "button", tabindex: "0", "data-column": column },
    make("rect", { x: column + 0.02, y: 0.02, width: 0.96, height: height + 0.5, rx: 0.15 }),
  );
  const choose = () => button.getAttribute("aria-disabled") !== "true" && button.ownerSVGElement.onColumn?.(column);
  button.addEventListener("click", choose);
  button.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") choose();
    else if (step) button.parentNode.children[(column + step + width) % width].focus();
    else return;
    event.preventDefault();
  });
  return button;
}

function nameButtons(svg, position, marks) {
  const legal = position.legal();
  for (const button of svg.querySelectorAll(".column")) {
    const column = Number(button.dataset.column), open = legal.includes(column);
    button.setAttribute("aria-disabled", String(!open));
    const mark = marks?.[column] ? `, ${marks[column]}` : "";
    button.setAttribute("aria-label", `${position.columnText(column)}${open ? "" : ", closed"}${mark}`);
    button.querySelector(".ghost")?.remove();
    if (open) {
      const ghost = stone(column + 0.5, position.landing(column) + 0.5, position.toMove);
      ghost.classList.add("ghost");
      button.append(ghost);
    }
  }
}

function stonesOf(tried, first, last) {
  const { width, height, cells } = tried, shapes = [], numbers = new Map();
  const heights = new Int32Array(width);
  for (const [place, column] of tried.moves.entries()) {
    const cell = (height - 1 - heights[column]) * width + column;
    heights[column] += 1;
    if (place >= first) numbers.set(cell, place - first + 1);
    if (last && place === first - 1) numbers.set(cell, 0);
  }
  for (const [cell, side] of cells.entries()) {
    if (side === 0) continue;
    const x = (cell % width) + 0.5, y = Math.floor(cell / width) + 0.5, number = numbers.get(cell);
    shapes.push(number > 0 ? numbered(x, y, side, number) : stone(x, y, side));
    if (number === 0) {
      shapes.push(make("circle", { class: "last inner", cx: x, cy: y, r: RADIUS - 0.03 }));
      shapes.push(make("circle", { class: "last outer", cx: x, cy: y, r: RADIUS + 0.03 }));
    }
  }
  return shapes;
}

function band(row, width) {
  const [first, end] = [row[0], row.at(-1)];
  const x = (cell) => (cell % width) + 0.5, y = (cell) => Math.floor(cell / width) + 0.5;
  return make("line", { x1: x(first), y1: y(first), x2: x(end), y2: y(end), "stroke-width": 0.98 });
}

function stone(x, y, side) {
  const arm = 0.38 * RADIUS, sign = { class: "sign", "stroke-width": 0.2 * RADIUS };
  const disc = make("circle", { class: "disc", cx: x, cy: y, r: RADIUS - 0.015 });
  if (side < 0) {
    return make("g", { class: "stone O" }, disc, make("circle", { ...sign, cx: x, cy: y, r: 0.46 * RADIUS }));
  }
  const cross = `M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x - arm} ${y + arm}L${x + arm} ${y - arm}`;
  return make("g", { class: "stone X" }, disc, make("path", { ...sign, d: cross }));
}

function numbered(x, y, side, number) {
  const size = number < 100 ? 0.4 : 0.3;
  return make(
    "g", { class: `stone tried ${SIGNS[side]}` },
    make("circle", { class: "disc", cx: x, cy: y, r: RADIUS - 0.03 }),
    make("text", { x, y: y + 0.36 * size, "font-size": size, "text-anchor": "middle" }, number),
  );
}
