// What one simulation does, a line for each of its steps: select, walk, play out, back up.

import { SIGNS, stoneSign } from "lab/shared/board";
import { fixed, short } from "lab/shared/columns";
import { html } from "lab/shared/svg";
import { resultWords, searchWords } from "lab/shared/words";

/** A list of four lines that keeps its height, about the simulation that a replay stands at. */
export class Story {
  constructor(search, position) {
    Object.assign(this, { search, position, side: SIGNS[position.toMove], lines: {} });
    this.element = html("ol", { class: "story", "aria-label": "What this simulation does" });
    const words = searchWords(this.side);
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
      return `${replay.move[node] + 1} (${isNew ? "new" : short(replay.visits[node])})`;
    }).join(", ");
    Playout.replaceChildren(...this.#result(replay.result, moves));
    const [before, after] = [replay.before, replay.root];
    Update.textContent =
      `visits ${short(before.visits[place])} → ${short(after.visits[place])}, ` +
      `mean ${fixed(before.means[place], 4)} → ${fixed(after.means[place], 4)}`;
  }

  #selected({ root: { scores }, before, moves }, place) {
    const column = moves[place] + 1, score = scores[place], kind = this.search.index;
    if (Number.isNaN(score)) return `column ${column}: each is tried in turn at first`;
    const equals = scores.filter((other) => other === score).length;
    const rank = equals > 1 ? `one of ${equals} highest` : "the highest";
    const mean = before.visits[place] > 0 ? before.means[place] : this.search.initial;
    const parts = kind === "bonus" && Number.isFinite(score) ? `${fixed(mean, 3)} + ${fixed(score - mean, 3)} = ` : "";
    return `column ${column}: ${parts}${fixed(score, 3)}, ${rank}`;
  }

  #result(result, moves) {
    const end = this.position.copy();
    for (const column of moves) end.play(column);
    const side = result === 1 ? this.position.toMove : result === 0 ? -this.position.toMove : 0;
    const sign = side === 0 ? "" : stoneSign(side), counts = ` (${fixed(result, result % 1 ? 2 : 0)} for ${this.side})`;
    if (!end.isFinished()) return [sign, `${resultWords(result, this.side)}${counts}`];
    return [sign, side === 0 ? `none: the board is full, a draw${counts}` : `none: ${SIGNS[side]} has won here${counts}`];
  }
}
