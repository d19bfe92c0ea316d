// The computer players of a game: they think, show what they see, and move. One that is paused keeps its search.
import { Thinking } from "lab/shared/api";
import { SIGNS } from "lab/shared/board";
import { exactWhy, label, why } from "lab/shared/sentences";
import { recall } from "lab/play/recall";

const PACE = 400; // milliseconds between the moves of two computers, so that one can follow
const LEFT = "thinking"; // under which the browser keeps a search while the page is loaded again
const GONE = "was thinking when this page was loaded again, and its search was not found: the server has ended it. Go on begins it anew.";

export class Thinker {
  // thought: {side, ply, name, column, event, why} of the player that thinks, its column null, or that moved last;
  // thinking: its search, until the move is shown; move: its answer, which waits for the pace or the end of a pause.
  constructor(page) {
    Object.assign(this, { page, thinking: null, recalling: null, thought: null, isPaused: false, move: null });
    addEventListener("pagehide", () => this.leave());
  }

  get question() {
    const { game, players, side, seed } = this.page;
    return { position: game.told(), player: players[side], seed };
  }

  // Begins, or goes on with the search that there is.
  think() {
    if (this.thinking) this.rest(false);
    else this.begin();
  }

  begin(left = null) {
    const { page, question } = this, { side, players } = page;
    Object.assign(this, { asked: JSON.stringify(question), began: performance.now(), isPaused: left ? !left.running : false });
    this.thought = { side, ply: page.game.ply, name: label(players[side]), column: null, event: left?.event ?? null };
    this.thinking = new Thinking(question, {
      thinking: (event) => { this.thought.event = event; page.view.renderThought(); },
      moved: (event) => { this.move = event; if (!this.isPaused) this.release(); },
      failed: (sentence) => this.failed(side, sentence),
      stopped: () => this.failed(side, "The server has ended this search."),
      lost: () => this.lost(side, left),
    }, { id: left?.id, paused: this.isPaused });
    page.render();
  }

  // Shows the move that was answered, two computers' moves at their pace.
  release() {
    const pause = this.page.people.length ? 0 : Math.max(0, PACE - (performance.now() - this.began));
    if (pause) this.timer = setTimeout(() => this.moved(), pause);
    else this.moved();
  }

  moved() {
    const { page, thought, move } = this, sign = thought.side ? -1 : 1;
    this.thinking = this.move = null;
    const reason = move.exact ? exactWhy(move, thought.name, sign) : why(move, thought.name, sign, page.helpOf(thought.side));
    Object.assign(thought, { event: move, column: move.column, why: reason });
    page.moved(move.column, `${SIGNS[sign]}, ${thought.name}`);
  }

  failed(side, sentence) {
    this.thinking = this.thought = null;
    this.page.halt(side, sentence);
  }

  // The server has the search no more. One that went on begins anew.
  lost(side, left) {
    const { page, thought: { name } } = this;
    if (left || this.isPaused) {
      this.failed(side, left ? `${name} ${GONE}` : `The server has ended the search of ${name}. Go on begins it anew.`);
      return;
    }
    this.thinking = null;
    this.begin();
    page.fault.say(`The server had ended the search of ${name}, which has begun anew.`);
  }

  // Pauses the player that thinks, or lets it go on.
  rest(paused) {
    if (!this.thinking || paused === this.isPaused) return;
    this.isPaused = paused;
    clearTimeout(this.timer);
    if (!this.move) this.thinking.rest(paused);
    else if (!paused) this.release();
    this.page.render();
  }

  // The page is left, perhaps to be loaded again: the server keeps the search for some seconds.
  leave() {
    const { thinking, thought, page } = this;
    this.recalling?.cancel(true);
    if (!thinking) return;
    const id = thought.event?.visits ? thinking.question.id : null; // a player without a search cannot rest
    sessionStorage.setItem(LEFT, JSON.stringify({ id, asked: this.asked, event: thought.event, running: page.running }));
    if (id) thinking.end();
    else thinking.cancel(true);
    this.stop();
  }

  // Finds the search that was left when the page was loaded again. Returns a sentence where it is none.
  find() {
    const left = JSON.parse(sessionStorage.getItem(LEFT));
    sessionStorage.removeItem(LEFT);
    if (this.thinking || left?.asked !== JSON.stringify(this.question)) return "";
    if (!left.id) return `${label(this.question.player)} ${GONE}`;
    this.page.running = left.running;
    this.begin(left);
    return "";
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
    clearTimeout(this.timer);
    this.thinking?.cancel();
    this.thinking = this.move = null;
    if (this.thought?.column === null) this.thought = null;
  }

  forget() {
    this.stop();
    this.thought = null;
  }

  // Ends a search of another position, player or seed than now, and forgets a thought that led to no move of the line.
  review() {
    if (!this.thinking || this.asked !== JSON.stringify(this.question)) this.stop();
    const { thought, page: { game } } = this;
    if (thought && thought.column !== null && !(game.ply > thought.ply && game.line[thought.ply] === thought.column)) this.forget();
  }
}
