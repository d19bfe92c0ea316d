// What one simulation does, a line for each of its steps: select, walk, play out, back up.

import { fixed, short } from "lab/shared/columns";
import { html } from "lab/shared/svg";
import { resultWords, searchWords } from "lab/shared/words";

/** A list of four lines that keeps its height, about the simulation that a replay stands at. */
export class Story {
  constructor(search, game) {
    Object.assign(this, { search, game, side: game.side(game.mover), other: game.side(-game.mover), lines: {} });
    this.element = html("ol", { class: "story", "aria-label": "What this simulation does" });
    const words = searchWords(this.side, this.other, game.noun);
    for (const name of ["Select", "Path", "Playout", "Update"]) {
      this.lines[name] = html("span", { class: "told" });
      const sentence = html("span", { class: "sentence" }, words[name.toLowerCase()]);
      this.element.append(html("li", {}, html("b", {}, name), this.lines[name], sentence));
    }
  }

  /** Tell another simulation; it is read aloud unless the recording plays. */
  update(replay, playing = false) {
    const { Select, Path, Playout, Update } = this.lines;
    this.element.setAttribute("aria-live", playing ? "off" : "polite");
    if (replay.n === 0) {
      Select.textContent = "Nothing has been simulated yet. Play, or go one step.";
      for (const line of [Path, Playout, Update]) line.textContent = "–";
      return;
    }
    const moves = replay.movesTo(replay.path.at(-1)), place = replay.moves.indexOf(moves[0]);
    Select.textContent = this.#selected(replay, place);
    Path.textContent = replay.path.slice(1).map((node) => {
      const isNew = replay.isNew && node === replay.path.at(-1);
      return `${this.game.name(replay.move[node])} (${isNew ? "new" : short(replay.visits[node])})`;
    }).join(", ");
    Playout.replaceChildren(...this.#result(replay.result, moves));
    const [before, after] = [replay.before, replay.root];
    Update.textContent =
      `visits ${short(before.visits[place])} → ${short(after.visits[place])}, ` +
      `mean ${fixed(before.means[place], 4)} → ${fixed(after.means[place], 4)}`;
  }

  #selected({ root: { scores }, before, moves }, place) {
    const chosen = `${this.game.noun} ${this.game.title(moves[place])}`, score = scores[place], kind = this.search.index;
    if (Number.isNaN(score)) return `${chosen}: each is tried in turn at first`;
    const equals = scores.filter((other) => other === score).length;
    const rank = equals > 1 ? `one of ${equals} highest` : "the highest";
    const mean = before.visits[place] > 0 ? before.means[place] : this.search.initial;
    const parts = kind === "bonus" && Number.isFinite(score) ? `${fixed(mean, 3)} + ${fixed(score - mean, 3)} = ` : "";
    return `${chosen}: ${parts}${fixed(score, 3)}, ${rank}`;
  }

  #result(result, moves) {
    const { game } = this, ended = game.ending(moves);
    const side = result === 1 ? game.mover : result === 0 ? -game.mover : 0;
    const sign = side === 0 ? "" : game.sign(side), counts = ` (${fixed(result, result % 1 ? 2 : 0)} for ${this.side})`;
    if (ended === null) return [sign, `${resultWords(result, this.side, this.other)}${counts}`];
    return [sign, side === 0 ? `none: ${game.drawnText()}${counts}` : `none: ${game.side(side)} has won here${counts}`];
  }
}
