// The tab "Replay": a game of a finished run, move by move, with each blunder marked and the deciding one named.
import { ask, server } from "lab/api";
import { drawBoard, parseMoves, SIGNS, stoneSign } from "lab/board";
import { Controls } from "lab/controls";
import { button, field, make, sentence } from "lab/elements";
import { Game } from "lab/game";
import { capital, signed } from "lab/sentences";

export const mount = (element, app) => new ReplayPage(element, app);

class ReplayPage {
  constructor(element, app) {
    Object.assign(this, { app, runs: null, game: null });
    this.run = make("select", { onchange: () => this.open(this.run.value, 0) });
    this.number = make("input", { type: "number", min: "1", step: "1", inputmode: "numeric", onchange: () => this.open(this.run.value, this.number.valueAsNumber - 1) });
    this.numberField = field("Game", this.number, "from 1");
    this.around = [-1, 1].map((step) => button(step < 0 ? "Previous game" : "Next game", () => this.open(this.run.value, app.state.replay.game + step)));
    this.fault = sentence();
    this.waiting = make("p", { class: "about", role: "status", hidden: true }, "Judging every move by exact scores …");
    this.empty = make("div", {}, make("p", {}, "There is no run with games yet. Play some, for example with"),
      make("pre", { tabindex: "0", "aria-label": "A command" }, "python -m experiments.run experiment=match player1=uct player2=level_3 games=20"),
      make("p", {}, "and then ", button("look again", () => this.show(), { class: "link" }), "."));
    this.players = make("p", { class: "versus" });
    this.result = make("p", { class: "about" });
    this.board = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.controlsPlace = make("div", { class: "lab" });
    this.told = make("p", { class: "now", role: "status" });
    this.deciding = make("p", { class: "why" });
    this.moves = make("ol", { class: "moves", "aria-label": "Moves" });
    this.choose = make("div", { class: "card fields choose" }, field("Run", this.run), this.numberField, make("div", { class: "row" }, this.around));
    this.whole = make("div", { class: "halves" },
      (this.left = make("div", { class: "game" }, make("div", { class: "board-scroll", role: "group", "aria-label": "Board" }, make("div", { class: "board-width" }, this.board)), this.controlsPlace)),
      make("div", { class: "side" }, this.players, this.result, this.deciding, this.told, this.moves,
        make("div", { class: "row" }, button("Play on from here", () => this.leave("play")), button("Compare two rules here", () => this.leave("compare")))));
    element.append(this.choose, this.fault.element, this.waiting, this.empty, this.whole);
    server.addEventListener("back", () => element.hidden || this.show());
  }

  async show() {
    const { replay } = this.app.state;
    this.fault.say();
    try {
      this.runs = await ask("/api/runs");
    } catch (error) {
      this.fault.say(error.message);
      return;
    }
    const any = this.runs.length > 0;
    this.choose.hidden = this.whole.hidden = !any;
    this.empty.hidden = any;
    if (!any) return;
    this.run.replaceChildren(...this.runs.map(({ folder, label, games }) => make("option", { value: folder }, `${label ?? folder} (${games} games)`)));
    const known = this.runs.some(({ folder }) => folder === replay.run);
    if (replay.run && !known) this.fault.say(`There is no run ${JSON.stringify(replay.run)} here any more.`);
    await this.open(known ? replay.run : this.runs[0].folder, known ? replay.game : 0, known ? replay.ply : null, false);
  }

  async open(folder, number, ply = null, step = true) {
    const { games } = this.runs.find((run) => run.folder === folder);
    if (!Number.isInteger(number) || number < 0 || number >= games) {
      this.fault.say(`Game must be a whole number from 1 to ${games}.`);
      return;
    }
    this.fault.say();
    Object.assign(this.app.state.replay, { run: folder, game: number, ply });
    this.app.save({ step });
    this.run.value = folder;
    this.number.value = number + 1;
    this.number.max = games;
    this.numberField.querySelector(".about").textContent = `From 1 to ${games}; in tables and commands it is game ${number}.`;
    this.around.forEach((one, place) => { one.disabled = place ? number + 1 >= games : number === 0; });
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    this.waiting.hidden = false;
    try {
      const found = await ask(`/api/runs/${encodeURI(folder)}/games/${number}`, { signal });
      if (signal.aborted) return;
      this.draw(found);
    } catch (error) {
      if (signal.aborted) return;
      this.whole.hidden = true;
      this.fault.say(`${capital(error.message)}.`);
    }
    this.waiting.hidden = true;
  }

  hide() { this.asking?.abort(); }

  draw(found) {
    this.whole.hidden = false;
    this.whole.dataset.game = this.app.state.replay.game;
    this.found = found;
    this.game = new Game(found.position);
    this.blunders = new Map(found.blunders.map((one) => [one.ply + 1, one])); // by the number of the move
    this.decisive = typeof found.deciding === "number" ? found.deciding + 1 : null;
    const [first, second] = found.players;
    this.players.replaceChildren(stoneSign(1), ` ${first} `, make("span", { class: "about" }, "against"), stoneSign(-1), ` ${second}`);
    const given = parseMoves(found.opening ?? "", this.game.width).length;
    const opening = given ? ` The first ${given === 1 ? "move is" : `${given} moves are`} the opening's.` : "";
    this.result.textContent = `${found.ending}.${opening}`;
    this.deciding.replaceChildren(...this.decidingWords());
    this.left.style.setProperty("--columns", this.game.width);
    this.controls?.destroy();
    const { length } = this.game.line, start = Math.min(this.app.state.replay.ply ?? this.decisive ?? length, length);
    this.controls = new Controls(this.controlsPlace, { length, start, unit: "move", speed: 1, onSeek: (ply) => this.at(ply) });
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
      start: "No move changed the result: it is what the first position was worth.",
      forfeit: "The game was lost by a forfeit, not by a move.",
    }[by] ?? "Which move decided the game is not known: a position could not be solved in time."];
  }

  blunderText(ply) {
    const { played, best, loss } = this.blunders.get(ply) ?? {}, place = ply - 1;
    const who = `${SIGNS[place % 2 ? -1 : 1]}, ${this.player(place)},`;
    if (played === undefined) return `${who} played column ${this.game.line[place] + 1}.`;
    const better = typeof best === "number" && best !== played ? best + 1 : "";
    const cost = typeof loss === "number" ? `, which costs ${signed(loss).replace("+", "")} points of score` : "";
    return `${who} played column ${played + 1}${cost}${better ? `; column ${better} was right` : ""}.`;
  }

  at(ply) {
    this.game.ply = ply;
    this.app.state.replay.ply = ply;
    this.app.save();
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

  leave(tab) {
    this.app.state.position = this.game.told();
    this.app.go(tab);
  }
}
