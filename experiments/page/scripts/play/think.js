// The computer players of a game: they think, show what they see, and move.
import { Thinking } from "lab/shared/api";
import { SIGNS } from "lab/shared/board";
import { exactWhy, label, why } from "lab/shared/sentences";
import { recall } from "lab/play/recall";

const PACE = 400; // milliseconds between the moves of two computers, so that one can follow

export class Thinker {
  // thought: {side, ply, name, column, event, why} of the player that thinks, its column null, or that moved last
  constructor(page) {
    Object.assign(this, { page, thinking: null, recalling: null, thought: null });
  }

  think() {
    const { page } = this, { side, players } = page, began = performance.now();
    this.thought = { side, ply: page.game.ply, name: label(players[side]), column: null, event: null };
    const pause = page.people.length ? 0 : PACE;
    const after = (what) => {
      this.thinking = { cancel: () => clearTimeout(timer) };
      const timer = setTimeout(what, Math.max(0, pause - (performance.now() - began)));
    };
    this.thinking = new Thinking({ position: page.game.told(), player: players[side], seed: page.seed }, {
      thinking: (event) => { this.thought.event = event; page.view.renderThought(); },
      moved: (event) => (pause ? after(() => this.moved(event)) : this.moved(event)),
      failed: (sentence) => this.failed(side, sentence),
      stopped: () => this.failed(side, "The server has ended this search."),
    });
    page.render();
  }

  moved(event) {
    const { page, thought } = this, sign = thought.side ? -1 : 1;
    this.thinking = null;
    const reason = event.exact ? exactWhy(event, thought.name, sign) : why(event, thought.name, sign, page.helpOf(thought.side));
    Object.assign(thought, { event, column: event.column, why: reason });
    page.moved(event.column, `${SIGNS[sign]}, ${thought.name}`);
  }

  failed(side, sentence) {
    this.thinking = null;
    this.thought = null;
    this.page.halt(side, sentence);
  }

  // Finds the thought of the last move, which a link does not hold.
  recall() {
    const { page } = this;
    if (this.thought || this.thinking) return;
    this.recalling = recall(page, (thought) => {
      this.thought = thought;
      page.view.renderThought();
    });
  }

  stop() {
    this.recalling?.cancel();
    this.recalling = null;
    this.thinking?.cancel();
    this.thinking = null;
    if (this.thought?.column === null) this.thought = null;
  }

  forget() { this.thought = null; }

  // Forgets a thought that led to no move of the line as it is now.
  review() {
    const { thought, page: { game } } = this;
    if (thought && thought.column !== null && !(game.ply > thought.ply && game.line[thought.ply] === thought.column)) this.forget();
  }
}

