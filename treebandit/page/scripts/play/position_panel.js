// The position as text: Pons notation to read, copy and paste, the size of the board, mirror, and the link.
import { button, copied, field, make, sentence } from "lab/shared/elements";
import { Game } from "lab/shared/game";
import { NumberField } from "lab/shared/settings";

let drawing = null; // what reads drawn boards, loaded once one is given

export class PositionPanel {
  // onGame(game): show another game; onSetUp(): set a position up by hand; onKeep(): save the game as a file.
  constructor({ sizes, onGame, onSetUp, onKeep }) {
    Object.assign(this, { onGame });
    this.moves = make("textarea", { rows: "1", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    this.moves.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      this.use();
    });
    this.moves.addEventListener("paste", () => setTimeout(() => this.use()));
    const whole = (name, label, [low, high]) => new NumberField({ name, label, type: "whole", low, high, default: 4 }, 4, () => {});
    this.size = [["width", "columns"], ["height", "rows"], ["connect", "in a row"]].map(([name, label]) => whole(name, label, sizes[name]));
    for (const { input } of this.size) input.addEventListener("keydown", ({ key }) => key === "Enter" && this.resize());
    this.fault = sentence();
    this.done = make("p", { class: "about", role: "status" });
    const label = "Moves, columns from 1 (Pons notation), or a drawing with X, O and “.”";
    this.element = make("section", { class: "card", "aria-labelledby": "position-title" },
      make("h2", { id: "position-title" }, "Position"),
      field(label, this.moves),
      this.fault.element,
      make("div", { class: "row" },
        button("Use these moves", () => this.use()),
        button("Copy", () => this.copy(this.moves.value, "The moves are copied.")),
        button("Mirror", () => onGame(this.game.mirrored())),
        button("Set up by hand", onSetUp)),
      make("details", { class: "further" }, make("summary", {}, "Size of the board"),
        make("div", { class: "fields three" }, this.size.map(({ element }) => element)),
        make("div", { class: "row" }, button("New game of this size", () => this.resize()))),
      make("div", { class: "row" }, button("Copy a link to this", () => this.copy(location.href, "The link is copied: it holds position and settings.")),
        button("Save the game as one file", onKeep)),
      this.done);
  }

  show(game) {
    this.game = game;
    if (document.activeElement !== this.moves) this.moves.value = game.notation;
    [game.width, game.height, game.connect].forEach((value, place) => {
      this.size[place].value = value;
      this.size[place].check();
    });
    this.fault.say();
    this.done.textContent = "";
  }

  use() {
    const text = this.moves.value, isMoves = /^\s*\d[^\n]*$/.test(text); // a line that begins with a column
    const isDrawn = !isMoves && /[.xo|]/i.test(text);
    this.fault.say();
    if (isDrawn && drawing === null) {
      import("lab/play/arrange").then((loaded) => { drawing = loaded; this.use(); });
      return;
    }
    try {
      const drawn = isDrawn ? drawing.stonesOf(text) : null;
      const size = drawn ? { width: drawn.width, height: drawn.height, connect: this.game.connect } : this.game.size;
      const moves = drawn ? drawing.arrange(drawn.stones, size) : text.replace(/\s+/g, "");
      this.moves.blur();
      this.onGame(new Game({ moves, ...size }));
    } catch (error) {
      this.fault.say(`${error.message[0].toUpperCase()}${error.message.slice(1).replace(/\.$/, "")}.`);
    }
  }

  resize() {
    if (!this.size.map((one) => one.check()).every(Boolean)) return;
    const [width, height, connect] = this.size.map((one) => one.value);
    this.onGame(new Game({ width, height, connect }));
  }

  async copy(text, said) {
    this.done.textContent = (await copied(text)) ? said : `Copy it from here: ${text}`;
  }
}
