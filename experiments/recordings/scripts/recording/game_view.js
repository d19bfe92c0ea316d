// A finished game, or one that was left: the board move by move, with each blunder marked and the deciding one named.

import { drawBoard, parseMoves, SIGNS, stoneSign } from "lab/shared/board";
import { Controls } from "lab/shared/controls";
import { button, make } from "lab/shared/elements";
import { Game } from "lab/shared/game";
import { PositionsView } from "lab/recording/positions_view";
import { signed } from "lab/shared/sentences";

/** A file that holds nothing but a game. */
export function mountGame(place, recording) {
  place.classList.add("lab");
  place.append(make("h1", {}, recording.title));
  return recording.position.texts ? new PositionsView(place, recording) : new GameView(place, recording);
}

export class GameView {
  /** found: as the server tells a game; start: a ply; onPly(ply): when another is shown; below: elements after the moves. */
  constructor(place, found, { start = null, onPly = () => {}, below = [] } = {}) {
    Object.assign(this, { found, onPly, game: new Game(found.position) });
    this.blunders = new Map(found.blunders.map((one) => [one.ply + 1, one])); // by the number of the move
    this.decisive = typeof found.deciding === "number" ? found.deciding + 1 : null;
    const [first, second] = found.players, given = parseMoves(found.opening ?? "", this.game.width).length;
    const opening = given ? ` The first ${given === 1 ? "move is" : `${given} moves are`} the opening.` : "";
    this.board = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.told = make("p", { class: "now", role: "status" });
    this.moves = make("ol", { class: "moves", "aria-label": "Moves" });
    const controls = make("div", { class: "lab" });
    const scroller = make("div", { class: "board-scroll", role: "group", "aria-label": "Board" }, make("div", { class: "board-width" }, this.board));
    const left = make("div", { class: "game" }, scroller, controls);
    left.style.setProperty("--columns", this.game.width);
    left.style.setProperty("--rows", this.game.height);
    this.element = make("div", { class: "halves" }, left, make("div", { class: "side" },
      make("p", { class: "versus" }, stoneSign(1), ` ${first} `, make("span", { class: "about" }, "against"), stoneSign(-1), ` ${second}`),
      make("p", { class: "about" }, `${found.ending}.${opening}`),
      make("p", { class: "why" }, this.decidingWords()), this.told, this.moves, below));
    place.append(this.element);
    const { length } = this.game.line;
    this.controls = new Controls(controls, { length, start: Math.min(start ?? this.decisive ?? length, length), unit: "move", speed: 1, onSeek: (ply) => this.at(ply) });
  }

  destroy() {
    this.controls.destroy();
    this.element.remove();
  }

  player(place) { return this.found.players[place % 2]; }

  decidingWords() {
    const { decisive } = this, { decided_by: by, why } = this.found;
    if (decisive !== null) {
      const sign = SIGNS[(decisive - 1) % 2 ? -1 : 1], column = this.game.line[decisive - 1] + 1;
      return [`Move ${decisive} decided the game: column ${column} of ${sign}, ${this.player(decisive - 1)}. `, button("Show it", () => this.controls.seek(decisive), { class: "link" })];
    }
    if (why) return [`The moves are not judged: ${why}.`];
    return [{
      start: "No move changed the result: the first position already had this value.",
      forfeit: "The game was lost by a forfeit, not by a move.",
    }[by] ?? "Which move decided the game is not known: a position could not be solved in time."];
  }

  blunderText(ply) {
    const { played, best, loss } = this.blunders.get(ply) ?? {}, place = ply - 1;
    const who = `${SIGNS[place % 2 ? -1 : 1]}, ${this.player(place)},`;
    if (played === undefined) return `${who} played column ${this.game.line[place] + 1}.`;
    const better = typeof best === "number" && best !== played ? best + 1 : "";
    const cost = typeof loss === "number" ? `, which costs ${signed(loss).replace("+", "")} ${loss === 1 ? "point" : "points"} of score` : "";
    return `${who} played column ${played + 1}${cost}${better ? `; column ${better} was right` : ""}.`;
  }

  at(ply) {
    this.game.ply = ply;
    this.onPly(ply);
    drawBoard(this.board, this.game.position, {});
    const place = ply - 1, { line } = this.game;
    const ended = ply === line.length ? ` ${this.found.ending}.` : "";
    this.told.textContent = ply === 0 ? "The empty board." : this.blunders.has(ply) ? `Blunder: ${this.blunderText(ply)}`
      : `${SIGNS[place % 2 ? -1 : 1]}, ${this.player(place)}, plays column ${line[place] + 1}.${ended}`;
    this.told.classList.toggle("blunder", this.blunders.has(ply));
    this.moves.replaceChildren(...line.map((column, one) => {
      const number = one + 1, wrong = this.blunders.has(number), decides = this.decisive === number;
      const word = decides ? ", the deciding blunder" : wrong ? ", a blunder" : "";
      return make("li", {}, button(`${column + 1}${decides ? "??" : wrong ? "?" : ""}`, () => this.controls.seek(number), {
        class: `move ${SIGNS[one % 2 ? -1 : 1]}${wrong ? " wrong" : ""}${number > ply ? " later" : ""}`,
        "aria-current": number === ply ? "step" : undefined,
        "aria-label": `Move ${number}, ${SIGNS[one % 2 ? -1 : 1]} in column ${column + 1}${word}`,
      }));
    }));
  }
}
