// Advice on the position: a good column, or the exact scores of all. Leaving the position ends the question.
import { post } from "lab/shared/api";
import { SIGNS } from "lab/shared/board";
import { make } from "lab/shared/elements";
import { capital, columns } from "lab/shared/sentences";

export class Adviser {
  constructor(page) {
    Object.assign(this, { page, scores: null, hinted: null, wantsScores: false });
    this.element = make("p", { class: "advice", role: "status" });
  }

  stop() { this.asking?.abort(); }

  clear() {
    this.stop();
    Object.assign(this, { scores: null, hinted: null });
    this.element.textContent = "";
  }

  async ask(path, waiting, show) {
    this.stop();
    const { signal } = (this.asking = new AbortController());
    this.element.textContent = waiting;
    try {
      const answer = await post(path, this.page.game.told(), { signal });
      if (!signal.aborted) show(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.element.textContent = "";
      this.page.fault.say(capital(error.message));
    }
    this.page.render();
  }

  hint() {
    this.ask("/api/hint", "Looking for a good column …", ({ column, sentence }) => {
      this.hinted = column;
      this.element.textContent = `${capital(sentence)}.`;
    });
  }

  score() {
    const sign = SIGNS[this.page.game.position.toMove];
    this.ask("/api/scores", "Solving every column …", ({ scores, why }) => {
      this.scores = scores;
      this.element.textContent = scores
        ? `Exact scores for ${sign} are below the columns: above 0 wins, 0 draws, below 0 loses; greater is better. Best: column ${columns(best(scores))}.`
        : `${capital(why ?? "this position could not be solved in time")}.`;
    });
  }
}

const best = (scores) => {
  const most = Math.max(...scores.filter((score) => score !== null));
  return scores.flatMap((score, column) => (score === most ? [column] : []));
};
