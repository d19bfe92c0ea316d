// A position set up by hand: stones of either side dropped into columns and taken off again.
import { Position, SIGNS } from "lab/shared/board";
import { arrange } from "lab/play/arrange";
import { button, make, sentence } from "lab/shared/elements";

// What the board draws meanwhile: stones of both sides in columns, in no order.
class Stones extends Position {
  constructor(stones, brush, { width, height, connect }) {
    super({ width, height, connect });
    Object.assign(this, { stones, brush });
    stones.forEach((column, place) => column.forEach((side, row) => { this.cells[(height - 1 - row) * width + place] = side; }));
  }

  get toMove() { return this.brush || 1; }
  copy() { return this; }
  legal() { return this.stones.flatMap((column, place) => ((this.brush ? column.length < this.height : column.length > 0) ? [place] : [])); }
  label() {
    const said = this.stones.map((_, column) => this.columnText(column)).join("; ");
    return `Setting up with ${this.brush ? SIGNS[this.brush] : "the eraser"}. ${said}.`;
  }
}

export class SetUp {
  // onDone(moves): use the position; onEnd(): cancel; onChange(): draw the board again.
  constructor(game, { onChange, onDone, onEnd }) {
    Object.assign(this, { size: game.size, brush: 1, onChange });
    const { cells, width, height } = game.position;
    this.stones = Array.from({ length: width }, (_, column) =>
      Array.from({ length: height }, (_, row) => cells[(height - 1 - row) * width + column]).filter((side) => side !== 0));
    this.fault = sentence();
    const brushes = [[1, "X"], [-1, "O"], [0, "Erase"]].map(([side, text]) => {
      const input = make("input", { type: "radio", name: "brush", value: String(side), checked: side === 1, onchange: () => this.pick(side) });
      return make("label", { class: "pick" }, input, text);
    });
    this.element = make("fieldset", { class: "setup" }, make("legend", {}, "Set up a position"),
      make("p", { class: "about" }, "Choose a stone, then columns of the board. X begins a game, so X has as many stones as O or one more."),
      make("div", { class: "row" }, brushes),
      make("div", { class: "row" },
        button("Use this position", () => {
          try { onDone(arrange(this.stones, this.size)); } catch (error) { this.fault.say(error.message); }
        }, { class: "main" }),
        button("Empty the board", () => { this.stones = this.stones.map(() => []); this.changed(); }),
        button("Cancel", onEnd)),
      this.fault.element);
  }

  get position() { return new Stones(this.stones, this.brush, this.size); }

  pick(side) {
    this.brush = side;
    this.onChange();
  }

  click(column) {
    if (this.brush) this.stones[column].push(this.brush);
    else this.stones[column].pop();
    this.changed();
  }

  changed() {
    this.fault.say();
    this.onChange();
  }
}
