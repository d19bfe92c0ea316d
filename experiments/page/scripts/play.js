// The tab "Play": a game between people and players, and what a player sees while it thinks.
import { post, server, Thinking } from "lab/api";
import { Bars } from "lab/bars";
import { drawBoard, SIGNS, stoneSign } from "lab/board";
import { button, download, make, sentence } from "lab/elements";
import { Game } from "lab/game";
import { PositionPanel } from "lab/position_panel";
import { capital, columns, exactWhy, label, signed, why } from "lab/sentences";
import { bare, Choice } from "lab/settings";
import { SetUp } from "lab/setup";

const PACE = 400; // milliseconds between the moves of two computers, so that one can follow
const PATIENCE = 800; // milliseconds in which a second digit of a column's number may follow
const COMPILES = "The kernels are being compiled, once: the first search takes some seconds longer.";
const YOU = { name: "human", title: "you", help: "A person at this page.", parameters: [] };
const SEARCHER = "uct"; // the player that shows its numbers

export const mount = (element, app) => new PlayPage(element, app);

class PlayPage {
  constructor(element, app) {
    Object.assign(this, { app, running: false, thinking: null, thought: null, scores: null, wantsScores: false, setup: null, digits: "" });
    this.makeGame();
    this.makePlayers();
    this.panel = new PositionPanel({ sizes: app.catalogue.sizes, onGame: (game) => this.begin(game), onSetUp: () => this.beginSetUp(), onKeep: () => this.keep() });
    const side = make("div", { class: "side" }, this.talk, this.playersPanel, this.panel.element);
    element.append(make("div", { class: "halves" }, this.gamePanel, side));
    document.addEventListener("keydown", (event) => element.hidden || this.key(event));
    server.addEventListener("lost", () => this.render());
    server.addEventListener("back", () => this.render());
  }

  makeGame() {
    this.bars = new Bars();
    this.board = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.scroller = make("div", { class: "board-scroll", role: "group", "aria-label": "Board" }, make("div", { class: "board-width" }, this.bars.element, this.board));
    this.turn = make("p", { class: "turn" });
    this.progress = make("progress", { max: 1, "aria-label": "Progress of the search" });
    this.why = make("p", { class: "why" });
    this.compare = button("Why? Compare two rules there", () => this.toCompare(), { class: "link" });
    this.advice = make("p", { class: "advice", role: "status" });
    this.fault = sentence();
    this.buttons = {
      back: button("Take back", () => this.takeBack()),
      redo: button("Redo", () => this.redo()),
      hint: button("Hint", () => this.hint()),
      scores: button("Exact scores", () => this.toggleScores(), { "aria-pressed": "false" }),
      pause: button("Pause", () => this.pause()),
      fresh: button("New game", () => this.fresh()),
    };
    this.setupPlace = make("div");
    this.line = make("ol", { class: "moves", "aria-label": "Moves" });
    this.gamePanel = make("div", { class: "game" }, make("div", { class: "turn-line" }, this.turn, this.progress), this.scroller, this.setupPlace);
    this.talk = make("section", { class: "card talk", "aria-label": "The game" },
      this.advice, this.fault.element, this.why, make("div", { class: "row actions" }, Object.values(this.buttons)), this.line, this.compare);
  }

  makePlayers() {
    const options = [YOU, ...this.app.catalogue.players], { search_rules: rules } = this.app.catalogue;
    this.choices = ["X, moves first", "O, moves second"].map((title, side) => new Choice({
      label: title, options, rules, value: YOU, id: `player-${side}`, onChange: () => this.choose(side),
    }));
    this.playerFaults = [sentence(), sentence()];
    this.playersPanel = make("section", { class: "card", "aria-labelledby": "players-title" },
      make("h2", { id: "players-title" }, "Players"),
      this.choices.map((choice, side) => make("div", { class: "player" }, stoneSign(side ? -1 : 1), make("div", {}, choice.element, this.playerFaults[side].element))),
      make("div", { class: "row" }, button("Switch sides", () => this.switchSides())));
  }

  // What the page knows of the game.
  get players() { return this.app.state.players; }
  get side() { return this.game.ply % 2; } // 0: X is to move
  get people() { return [0, 1].filter((side) => this.players[side].name === "human"); }
  get isPersons() { return this.people.includes(this.side); }
  get isOver() { return this.game.position.isFinished(); }

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
    this.stop();
    const before = this.game?.told(), { left } = this.app;
    if (this.game) this.game.follow(game);
    else this.game = game;
    if (left?.moves === position.moves) this.game.ply = left.ply;
    this.app.left = null;
    if (JSON.stringify(before) !== JSON.stringify(this.game.told())) this.running = false; // a computer waits to be told
    this.choices.forEach((choice, side) => { choice.value = this.players[side]; });
    this.players.forEach((_, side) => { this.players[side] = this.choices[side].value; });
    if (this.thought && !this.isThoughtOf()) this.thought = null;
    this.changed();
    this.fault.say(problem);
    this.choices.forEach((choice, side) => this.playerFaults[side].say(choice.unknown));
    this.recall();
  }

  // A link does not hold what a search saw before its last move: the same search, of the same seed, finds it again.
  recall() {
    const ply = this.game.ply - 1, side = ply % 2, player = this.players[side];
    if (this.thought || this.thinking || ply < 0 || player.name !== SEARCHER || player.seconds) return;
    const nothing = () => { this.recalling = null; };
    this.recalling = new Thinking({ position: this.game.told(ply), player, seed: this.app.state.seed }, {
      thinking() {}, failed: nothing, stopped: nothing,
      moved: (event) => {
        this.recalling = null;
        if (event.column !== this.game.line[ply]) return; // somebody else played it
        const name = label(player);
        this.thought = { side, ply, name, event, column: event.column, why: why(event, name, side ? -1 : 1) };
        this.renderThought();
      },
    });
  }

  hide() {
    this.stop();
    this.aiding?.abort();
    this.setup = null;
  }

  // Everything that depends on the position follows it: link, board, sentences, and the player whose turn it is.
  changed({ step = false } = {}) {
    this.stop();
    this.app.state.position = this.game.told();
    this.app.save({ step });
    this.aiding?.abort();
    Object.assign(this, { scores: null, hinted: null });
    this.advice.textContent = "";
    this.fault.say();
    this.playerFaults.forEach((fault) => fault.say());
    this.panel.show(this.game);
    this.render();
    if (this.isOver || this.setup) return;
    if (!this.isPersons && this.running) this.think();
    else if (this.wantsScores) this.askScores();
  }

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

  // A player thinks, and moves.
  think() {
    const side = this.side, ply = this.game.ply, began = performance.now();
    this.thought = { side, ply, name: label(this.players[side]), column: null, event: null };
    const pause = this.people.length ? 0 : PACE;
    const after = (what) => {
      this.thinking = { cancel: () => clearTimeout(timer) };
      const timer = setTimeout(what, Math.max(0, pause - (performance.now() - began)));
    };
    this.thinking = new Thinking({ position: this.game.told(), player: this.players[side], seed: this.app.state.seed }, {
      thinking: (event) => { this.thought.event = event; this.renderThought(); },
      moved: (event) => (pause ? after(() => this.moved(event)) : this.moved(event)),
      failed: (said) => this.paused(() => this.playerFaults[side].say(said)),
      stopped: () => this.paused(() => this.playerFaults[side].say("The server has ended this search.")),
    });
    this.render();
  }

  moved(event) {
    const { thought } = this, help = bare(this.choices[thought.side].option?.help).replace(/\.$/, "");
    this.thinking = null;
    const reason = event.exact ? exactWhy(event, thought.name, thought.side ? -1 : 1) : why(event, thought.name, thought.side ? -1 : 1, help);
    Object.assign(thought, { event, column: event.column, why: reason });
    this.game.play(event.column);
    const sign = SIGNS[thought.side ? -1 : 1];
    this.app.say(`${sign}, ${thought.name}: column ${event.column + 1}. ${this.ending() || (this.isPersons ? "Your move." : "")}`);
    this.changed();
  }

  paused(then) {
    this.thinking = null;
    this.thought = null;
    this.running = false;
    this.changed();
    then();
  }

  stop() {
    this.recalling?.cancel();
    this.recalling = null;
    this.thinking?.cancel();
    this.thinking = null;
    if (this.thought?.column === null) this.thought = null;
  }

  isThoughtOf() { return this.thought.column === null || (this.game.ply > this.thought.ply && this.game.line[this.thought.ply] === this.thought.column); }

  // Orders of the person at the page.
  goTo(ply) {
    if (ply === null) return;
    this.game.ply = ply;
    this.running = false;
    if (this.thought && !this.isThoughtOf()) this.thought = null;
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
    this.app.state.seed += 1; // another game, and still one that the link can tell
    this.begin(new Game(this.game.size));
  }

  begin(game) {
    this.setup = null;
    const isNew = game.ply === 0;
    this.game = game;
    this.thought = null;
    this.running = isNew || this.isPersons;
    this.changed({ step: true });
    this.app.say(isNew ? "A new game." : `Position after ${game.ply} moves.`);
  }

  choose(side) {
    if (!this.choices[side].check()) return;
    this.players[side] = this.choices[side].value;
    if (this.side === side && !this.thinking) this.running = false; // it begins to think when it is told to
    this.changed();
  }

  switchSides() {
    this.app.state.players = [...this.players].reverse();
    this.choices.forEach((choice, side) => { choice.value = this.players[side]; });
    this.running = true;
    this.changed({ step: true });
  }

  beginSetUp() {
    this.stop();
    const end = () => { this.setup = null; this.changed(); };
    this.setup = new SetUp(this.game, {
      onChange: () => this.render(),
      onDone: (moves) => this.begin(new Game({ ...this.game.size, moves })),
      onEnd: end,
    });
    this.render();
    this.setup.element.querySelector("input").focus();
  }

  async keep() {
    const { line } = this.game, question = { position: this.game.told(line.length), players: this.players.map(label) };
    try {
      download(await post("/api/games", question, { as: "blob" }), `game_${this.game.told(line.length).moves.replaceAll(",", "-").slice(0, 80) || "empty"}.html`);
    } catch (error) {
      this.fault.say(capital(error.message));
    }
  }

  toCompare() {
    const position = this.game.told(this.thought?.ply ?? this.game.ply);
    this.app.left = { moves: position.moves, ply: this.game.ply };
    this.app.state.position = position;
    const player = this.thought && this.players[this.thought.side];
    if (player?.name === SEARCHER) this.compareOwn(player);
    this.app.go("compare");
  }

  // Its own rule stands first in the comparison, with its simulations as far as a recording has room for them.
  compareOwn({ policy = "ucb", c, simulations }) {
    const { compare } = this.app.state, rule = typeof policy === "string" ? { name: policy } : { ...policy };
    if (rule.name === "ucb" && c !== undefined) rule.c ??= c;
    const [, second] = compare.rules;
    compare.rules = [rule, ...(second && label(second) !== label(rule) ? [second] : [{ name: rule.name === "thompson" ? "ucb" : "thompson" }])];
    const { bytes, search: [own, each] } = this.app.catalogue.recordings;
    if (simulations) compare.simulations = Math.min(simulations, Math.floor(bytes / (2 * (own + each * this.game.width))));
  }

  // Asks something of the position; leaving the position ends the question.
  async aid(path, waiting, show) {
    this.aiding?.abort();
    const { signal } = (this.aiding = new AbortController());
    this.advice.textContent = waiting;
    try {
      const answer = await post(path, this.game.told(), { signal });
      if (!signal.aborted) show(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.advice.textContent = "";
      this.fault.say(`${capital(error.message)}`);
    }
    this.render();
  }

  hint() {
    this.aid("/api/hint", "Looking for a good column …", ({ column, sentence: said }) => {
      this.hinted = column;
      this.advice.textContent = `${capital(said)}.`;
    });
  }

  toggleScores() {
    this.wantsScores = !this.wantsScores;
    this.changed();
  }

  askScores() {
    const sign = SIGNS[this.game.position.toMove];
    this.aid("/api/scores", "Solving every column …", ({ scores, why: reason }) => {
      this.scores = scores;
      this.advice.textContent = scores
        ? `Exact scores for ${sign} are below the columns: above 0 wins, 0 draws, below 0 loses; greater is better. Best: column ${columns(best(scores))}.`
        : `${capital(reason ?? "the exact scores of this position are not found in time")}.`;
    });
  }

  key(event) {
    if (!/^\d$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea")) return;
    clearTimeout(this.digitTimer);
    this.digits += event.key;
    const play = () => {
      const column = Number(this.digits) - 1;
      this.digits = "";
      if (column >= 0 && column < this.game.width) this.play(column);
    };
    if (Number(this.digits) * 10 > this.game.width) play();
    else this.digitTimer = setTimeout(play, PATIENCE);
  }

  // Drawing.
  ending() {
    const { position } = this.game;
    if (position.winner() !== 0) return `${SIGNS[position.winner()]} wins with ${this.game.connect} in a row.`;
    return position.isFinished() ? "A draw: the board is full." : "";
  }

  turnSign() {
    const side = this.isOver ? this.game.position.winner() : this.side ? -1 : 1;
    return this.setup || side === 0 ? [] : [stoneSign(side)];
  }

  turnText() {
    if (this.setup) return "Setting up a position";
    if (this.isOver) return this.ending();
    const sign = SIGNS[this.side ? -1 : 1];
    if (this.isPersons) return this.people.length === 2 ? `${sign} to move` : `Your move, with ${sign}`;
    const does = !this.thinking ? "is to move" : server.lost ? "waits for the server" : "is thinking";
    return `${sign}, ${label(this.players[this.side])}, ${does}`;
  }

  render() {
    const { position } = this.game, free = !this.isOver && !this.setup, { buttons } = this;
    const marks = this.scores ? this.scores.map(signed) : null;
    if (marks === null && this.hinted !== null && this.hinted !== undefined) {
      drawBoard(this.board, position, { onColumn: (column) => this.play(column), marks: Array.from({ length: this.game.width }, (_, column) => (column === this.hinted ? "hint" : "")) });
    } else if (this.setup) {
      const stones = this.setup.position;
      drawBoard(this.board, stones, { last: false, onColumn: (column) => this.play(column), label: stones.label() });
    } else {
      const mayPlay = this.isPersons && !this.isOver;
      drawBoard(this.board, position, { onColumn: (column) => this.play(column), marks });
      this.board.classList.toggle("waits", !mayPlay);
    }
    this.board.classList.toggle("erases", this.setup?.brush === 0);
    this.gamePanel.style.setProperty("--columns", this.game.width);
    this.gamePanel.style.setProperty("--rows", this.game.height);
    this.setupPlace.replaceChildren(...(this.setup ? [this.setup.element] : []));
    this.turn.replaceChildren(...this.turnSign(), this.turnText());
    buttons.back.disabled = this.setup !== null || this.backTo() === null;
    buttons.redo.disabled = this.setup !== null || this.game.ply === this.game.line.length;
    buttons.hint.disabled = !free || !this.isPersons;
    buttons.scores.disabled = !free;
    buttons.scores.setAttribute("aria-pressed", String(this.wantsScores));
    buttons.pause.hidden = !free || this.isPersons;
    buttons.pause.textContent = this.running ? "Pause" : this.game.ply ? "Go on" : "Start";
    buttons.pause.classList.toggle("main", !this.running);
    buttons.fresh.classList.toggle("main", this.isOver);
    this.renderLine();
    this.renderThought();
  }

  renderLine() {
    const { line, ply } = this.game;
    this.line.hidden = line.length === 0 || this.setup !== null;
    this.line.replaceChildren(...line.map((column, place) => make("li", {}, button(String(column + 1), () => this.goTo(place + 1), {
      class: `move ${SIGNS[place % 2 ? -1 : 1]}${place >= ply ? " later" : ""}`,
      "aria-current": place === ply - 1 ? "step" : undefined,
      "aria-label": `After move ${place + 1}, ${SIGNS[place % 2 ? -1 : 1]} in column ${column + 1}`,
    }))));
  }

  renderThought() {
    const { thought } = this, event = thought?.event, thinks = thought?.column === null;
    this.progress.hidden = !(thinks && this.thinking) || server.lost;
    if (event?.of) this.progress.value = event.simulations / event.of;
    else this.progress.removeAttribute("value");
    this.why.textContent = this.setup ? "" : (thinks && event?.compiling ? COMPILES : (thought?.why ?? ""));
    this.compare.textContent = thought?.column === null || !thought ? "Compare two rules on this position" : "Why did it move so? Compare two rules there";
    this.compare.hidden = this.setup !== null || (!thought && this.isOver);
    const { position } = this.game, told = thought?.name ?? label(this.players.find(({ name }) => name === SEARCHER) ?? { name: "" });
    const shown = !this.setup && (event?.visits || this.players.some(({ name }) => name === SEARCHER));
    this.bars.show(shown ? { name: told, event, thinks, ply: thought?.ply ?? this.game.ply, chosen: thought?.column ?? null, width: this.game.width, moves: position.legal() } : null);
  }
}

const best = (scores) => {
  const most = Math.max(...scores.filter((score) => score !== null));
  return scores.flatMap((score, column) => (score === most ? [column] : []));
};
