// A game as a line of moves and a place in it: moves taken back stay on the line until another one is played.
import { parseMoves, Position, SIGNS, writeMoves } from "lab/shared/board";

export class Game {
  // Throws an Error with one sentence where the moves are no game.
  constructor({ moves = "", width, height, connect }) {
    Object.assign(this, { width, height, connect });
    this.line = typeof moves === "string" ? parseMoves(moves, width) : [...moves];
    this.ply = this.line.length;
    const position = new Position({ width, height, connect });
    for (const [place, column] of this.line.entries()) {
      const number = place + 1;
      if (position.winner() !== 0) throw new Error(`move ${number} comes after the end: ${SIGNS[position.winner()]} has won before it`);
      if (!position.legal().includes(column)) throw new Error(`move ${number} cannot be played: column ${column + 1} is full`);
      position.play(column);
    }
  }

  get size() { return { width: this.width, height: this.height, connect: this.connect }; }
  get moves() { return this.line.slice(0, this.ply); }
  get position() { return new Position({ ...this.size, moves: this.moves }); }
  get notation() { return writeMoves(this.moves, this.width); }

  // The position as the server and the link know it, after `ply` moves.
  told(ply = this.ply) { return { moves: writeMoves(this.line.slice(0, ply), this.width), ...this.size }; }

  play(column) {
    if (this.line[this.ply] !== column) this.line.length = this.ply; // another move ends the old line
    this.line[this.ply++] = column;
  }

  // Follows a position that came from elsewhere, and keeps the line where the position lies on it.
  follow(other) {
    const { moves } = other, onLine = other.size && same(this.size, other.size) && moves.every((column, place) => this.line[place] === column);
    if (onLine) this.ply = moves.length;
    else Object.assign(this, other.size, { line: moves, ply: moves.length });
  }

  mirrored() { return new Game({ ...this.size, moves: this.moves.map((column) => this.width - 1 - column) }); }

  // The nearest ply before (step -1) or after (step 1) this one at which one of `sides` (0 for X, 1 for O) is to move.
  turn(sides, step) {
    for (let ply = this.ply + step; ply >= 0 && ply <= this.line.length; ply += step) {
      if (sides.includes(ply % 2)) return ply;
    }
    return step > 0 && this.ply < this.line.length ? this.line.length : null;
  }
}

const same = (a, b) => a.width === b.width && a.height === b.height && a.connect === b.connect;
