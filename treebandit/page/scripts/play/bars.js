// The numbers above the columns of the live board: what a player sees while it thinks, and saw before its last move.
import { SIGNS } from "lab/shared/board";
import { Columns } from "lab/shared/columns";
import { make } from "lab/shared/elements";

const numbers = (list) => list.map((one) => one ?? NaN); // JSON has no NaN
const count = (value) => value.toLocaleString("en");

export class Bars {
  constructor() {
    this.caption = make("p", { class: "caption" });
    this.table = make("div");
    this.element = make("div", { class: "bars", hidden: true }, this.caption, this.table);
  }

  // Null hides them. Else `event` is the search's view, or null before the first; room for the numbers is kept from the
  // beginning, so that the board never jumps. `moves` are the legal ones where there is no event; `thinks`: more follows.
  show(told) {
    this.element.hidden = told === null;
    if (told === null) return;
    const { name, thinks, paused, ply, chosen, width } = told, event = told.event?.visits ? told.event : null;
    const sign = SIGNS[ply % 2 ? -1 : 1], moves = event?.moves ?? told.moves, key = `${moves}|${width}|${sign}`;
    if (this.key !== key) {
      this.key = key;
      this.table.replaceChildren();
      const labels = Array.from({ length: width }, (_, column) => String(column + 1));
      this.columns = new Columns(this.table, moves, labels, { side: sign, explain: false });
    }
    const none = moves.map(() => NaN), { visits = moves.map(() => 0), index = "bonus" } = event ?? {};
    this.columns.update({ visits, index, chosen, exact: null, means: numbers(event?.means ?? none), scores: numbers(event?.scores ?? none) });
    const done = event ? `: ${count(event.simulations)}${event.of ? ` of ${count(event.of)}` : ""} simulations${thinks && paused ? ", paused" : ""}` : "";
    this.caption.textContent = event === null && !thinks ? `While ${name} thinks, its numbers appear here.`
      : `What ${name} ${thinks ? "sees" : "saw"} for ${sign}${thinks ? "" : ` before move ${ply + 1}`}${done}`;
  }
}
