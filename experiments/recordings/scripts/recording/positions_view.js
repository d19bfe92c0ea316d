// A finished game of a user's class: its position, as the class has it, after each move.

import { Controls } from "lab/shared/controls";
import { button, make } from "lab/shared/elements";
import { playerSign, positionElement } from "lab/recording/positions";

export class PositionsView {
  /** found: a game as experiments/recordings/positions.py has it; the options are those of GameView. */
  constructor(place, found, { start = null, onPly = () => {}, below = [] } = {}) {
    Object.assign(this, { found, onPly });
    const { players: [first, second], given, moves } = found;
    const opening = given ? ` The first ${given === 1 ? "move was" : `${given} moves were`} given.` : "";
    const controls = make("div", { class: "lab" });
    this.position = make("div", { class: "own-position" });
    this.told = make("p", { class: "now", role: "status" });
    this.moves = make("ol", { class: "moves", "aria-label": "Moves" });
    this.element = make("div", { class: "halves" }, make("div", { class: "game" }, controls, this.position), make("div", { class: "side" },
      make("p", { class: "versus" }, make("span", {}, playerSign(1), first), make("span", { class: "about" }, "against"), make("span", {}, playerSign(-1), second)),
      make("p", { class: "about" }, `${found.ending}.${opening}`), this.told, this.moves, below));
    place.append(this.element);
    this.controls = new Controls(controls, { length: moves.length, start: Math.min(start ?? 0, moves.length), unit: "move", speed: 1, onSeek: (ply) => this.at(ply) });
  }

  destroy() {
    this.controls.destroy();
    this.element.remove();
  }

  at(ply) {
    this.onPly(ply);
    const { moves, players, shown, position, ending } = this.found;
    this.position.replaceChildren(positionElement(position.texts[shown[ply]], position.html));
    const ended = ply === moves.length ? ` ${ending}.` : "";
    const [mover, move] = moves[ply - 1] ?? [];
    this.told.replaceChildren(...(ply === 0 ? ["The first position."] : [playerSign(mover ? -1 : 1), `${players[mover]} plays ${move}.${ended}`]));
    this.moves.replaceChildren(...moves.map(([mover, move], place) => make("li", {}, button(move, () => this.controls.seek(place + 1), {
      class: `move ${mover ? "O" : "X"}${place + 1 > ply ? " later" : ""}`,
      "aria-current": place + 1 === ply ? "step" : undefined, "aria-label": `Move ${place + 1}, ${players[mover]}: ${move}`,
    }))));
  }
}
