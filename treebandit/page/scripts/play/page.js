// The tab "Play": a game between people and players. It holds the game; view shows it, think, recall, advise and keep serve it.
import { Adviser } from "lab/play/advise";
import { listen } from "lab/play/keys";
import { PositionPanel } from "lab/play/position_panel";
import { SEARCHER } from "lab/play/recall";
import { Thinker } from "lab/play/think";
import { GamePanel } from "lab/play/view";
import { server } from "lab/shared/api";
import { SIGNS, stoneSign } from "lab/shared/board";
import { button, make, sentence } from "lab/shared/elements";
import { Game } from "lab/shared/game";
import { capital, label } from "lab/shared/sentences";
import { bare, Choice } from "lab/shared/settings";

const YOU = { name: "human", title: "you", help: "A person at this page.", parameters: [] };

export const mount = (element, app) => new PlayPage(element, app);

class PlayPage {
  constructor(element, app) {
    Object.assign(this, { app, running: false, setup: null, fault: sentence() });
    this.thinker = new Thinker(this);
    this.adviser = new Adviser(this);
    this.view = new GamePanel(this);
    this.makePlayers();
    this.panel = new PositionPanel({
      sizes: app.catalogue.sizes,
      onGame: (game) => this.begin(game),
      onSetUp: () => this.beginSetUp(),
      onKeep: () => import("lab/play/keep").then(({ keep }) => keep(this.game, this.players)).catch((error) => this.fault.say(capital(error.message))),
    });
    const side = make("div", { class: "side" }, this.view.talk, this.playersPanel, this.panel.element);
    element.append(make("div", { class: "halves" }, this.view.element, side));
    listen({ isShown: () => !element.hidden, width: () => this.game.width, play: (column) => this.play(column) });
    server.addEventListener("lost", () => this.render());
    server.addEventListener("back", () => this.render());
  }

  makePlayers() {
    const options = [YOU, ...this.app.catalogue.players], { search_rules: rules } = this.app;
    this.choices = ["X, moves first", "O, moves second"].map((title, side) => new Choice({
      label: title, options, rules, value: YOU, id: `player-${side}`, onChange: () => this.choose(side),
    }));
    this.playerFaults = [sentence(), sentence()];
    this.playersPanel = make("section", { class: "card", "aria-labelledby": "players-title" },
      make("h2", { id: "players-title" }, "Players"),
      this.choices.map((choice, side) => make("div", { class: "player" }, stoneSign(side ? -1 : 1), make("div", {}, this.playerFaults[side].element, choice.element))),
      make("div", { class: "row" }, button("Switch sides", () => this.switchSides())));
  }

  // What the page knows of the game.
  get players() { return this.app.state.players; }
  get seed() { return this.app.state.seed; }
  get side() { return this.game.ply % 2; } // 0: X is to move
  get people() { return [0, 1].filter((side) => this.players[side].name === "human"); }
  get isPersons() { return this.people.includes(this.side); }
  get isOver() { return this.game.position.isFinished(); }
  helpOf(side) { return bare(this.choices[side].option?.help).replace(/\.$/, ""); }

  ending() {
    const { position } = this.game;
    if (position.winner() !== 0) return `${SIGNS[position.winner()]} wins with ${this.game.connect} in a row.`;
    return position.isFinished() ? "A draw: the board is full." : "";
  }

  // The tab is opened, or the link has changed.
  show() {
    const { position } = this.app.state;
    let problem = "", game;
    try {
      game = new Game(position);
    } catch (error) {
      problem = `The link's position cannot be shown: ${error.message}.`;
      game = new Game({ ...position, moves: "" });
    }
    const before = this.game?.told(), { left } = this.app;
    if (this.game) this.game.follow(game);
    else this.game = game;
    if (left?.moves === position.moves) this.game.ply = left.ply;
    this.app.left = null;
    if (JSON.stringify(before) !== JSON.stringify(this.game.told())) this.running = false; // a computer waits for the button
    this.choices.forEach((choice, side) => { choice.value = this.players[side]; });
    this.players.forEach((_, side) => { this.players[side] = this.choices[side].value; });
    const lost = this.thinker.find();
    this.changed();
    this.fault.say(problem || lost);
    this.choices.forEach((choice, side) => {
      choice.check();
      this.playerFaults[side].say(choice.unknown);
    });
    this.thinker.recall();
  }

  hide() {
    this.thinker.rest(true); // until the tab is shown again
    this.adviser.stop();
    this.setup = null;
  }

  render() { this.view.render(); }

  // Updates what depends on the position: link, board, sentences, and the player whose turn it is. A search goes on, or
  // rests, while its question is that of the page.
  changed({ step = false } = {}) {
    this.thinker.review();
    this.app.state.position = this.game.told();
    this.app.save({ step });
    this.adviser.clear();
    this.fault.say();
    this.playerFaults.forEach((fault) => fault.say());
    this.panel.show(this.game);
    this.render();
    if (this.isOver) return;
    if (!this.isPersons && this.running && !this.setup) {
      this.thinker.think();
      return;
    }
    this.thinker.rest(true);
    if (this.adviser.wantsScores && !this.setup) this.adviser.score();
  }

  // A player has moved.
  moved(column, who) {
    this.game.play(column);
    this.app.say(`${who}: column ${column + 1}. ${this.ending() || (this.isPersons ? "Your move." : "")}`);
    this.changed();
  }

  halt(side, reason) {
    this.running = false;
    this.changed();
    this.playerFaults[side].say(reason);
  }

  // What the person at the page may do.
  play(column) {
    if (this.setup) {
      this.setup.click(column);
      return;
    }
    if (!this.isPersons) return;
    if (!this.game.position.legal().includes(column)) {
      if (column < this.game.width && !this.isOver) this.fault.say(`Column ${column + 1} is full.`);
      return;
    }
    const sign = SIGNS[this.game.position.toMove];
    this.game.play(column);
    this.running = true;
    this.app.say(`${sign}: column ${column + 1}. ${this.ending()}`);
    this.changed({ step: true });
  }

  goTo(ply) {
    if (ply === null) return;
    this.game.ply = ply;
    this.running = false;
    this.changed({ step: true });
    this.app.say(`${ply} of ${this.game.line.length} moves.`);
  }

  backTo() { return this.game.turn(this.people.length ? this.people : [0, 1], -1); }
  takeBack() { this.goTo(this.backTo()); }
  redo() { this.goTo(this.game.turn(this.people.length ? this.people : [0, 1], 1)); }

  pause() {
    this.running = !this.running;
    this.changed();
  }

  fresh() {
    this.app.state.seed += 1; // another game, which the link still describes
    this.begin(new Game(this.game.size));
  }

  begin(game) {
    this.setup = null;
    const isNew = game.ply === 0;
    this.game = game;
    this.thinker.forget();
    this.running = isNew || this.isPersons;
    this.changed({ step: true });
    this.app.say(isNew ? "A new game." : `Position after ${game.ply} moves.`);
  }

  choose(side) {
    if (!this.choices[side].check()) return;
    this.players[side] = this.choices[side].value;
    if (this.side === side && !this.thinker.thinking) this.running = false; // it begins to think at the button
    this.changed();
  }

  switchSides() {
    this.app.state.players = [...this.players].reverse();
    this.choices.forEach((choice, side) => { choice.value = this.players[side]; });
    this.running = true;
    this.changed({ step: true });
  }

  toggleScores() {
    this.adviser.wantsScores = !this.adviser.wantsScores;
    this.changed();
  }

  async beginSetUp() {
    const { SetUp } = await import("lab/play/setup");
    this.thinker.rest(true);
    const end = () => { this.setup = null; this.changed(); };
    this.setup = new SetUp(this.game, {
      onChange: () => this.render(),
      onDone: (moves) => this.begin(new Game({ ...this.game.size, moves })),
      onEnd: end,
    });
    this.render();
    this.setup.element.querySelector("input").focus();
  }

  toCompare() {
    const { thought } = this.thinker, position = this.game.told(thought?.ply ?? this.game.ply);
    this.app.left = { moves: position.moves, ply: this.game.ply };
    this.app.state.position = position;
    const player = thought && this.players[thought.side];
    if (player?.name === SEARCHER) this.compareOwn(player);
    this.app.go("compare");
  }

  // The player's rule stands first in the comparison, with its simulations as far as a recording has room for them.
  compareOwn({ policy = "ucb", c, simulations }) {
    const { compare } = this.app.state, rule = typeof policy === "string" ? { name: policy } : { ...policy };
    if (rule.name === "ucb" && c !== undefined) rule.c ??= c;
    const [, second] = compare.rules;
    compare.rules = [rule, ...(second && label(second) !== label(rule) ? [second] : [{ name: rule.name === "thompson" ? "ucb" : "thompson" }])];
    const { bytes, search: [own, each] } = this.app.catalogue.recordings;
    if (simulations) compare.simulations = Math.min(simulations, Math.floor(bytes / (2 * (own + each * this.game.width))));
  }
}
