// The tab "Replay": a game of a finished run, move by move, with each blunder marked and the deciding one named.
import { ask, server } from "lab/shared/api";
import { parseMoves } from "lab/shared/board";
import { button, download, field, make, sentence } from "lab/shared/elements";
import { GameView } from "lab/recording/game_view";
import { PositionsView } from "lab/recording/positions_view";
import { capital } from "lab/shared/sentences";

const addressOf = (folder, number) => `/api/runs/${encodeURI(folder)}/games/${number}`;

export const mount = (element, app) => new ReplayPage(element, app);

class ReplayPage {
  constructor(element, app) {
    Object.assign(this, { app, runs: null });
    this.run = make("select", { onchange: () => this.open(this.run.value, 0) });
    this.number = make("input", { type: "number", min: "0", step: "1", inputmode: "numeric", onchange: () => this.open(this.run.value, this.number.valueAsNumber) });
    this.numberField = field("Game", this.number, "from 0");
    this.around = [-1, 1].map((step) => button(step < 0 ? "Previous game" : "Next game", () => this.open(this.run.value, app.state.replay.game + step)));
    this.fault = sentence();
    this.waiting = make("p", { class: "about", role: "status", hidden: true }, "Judging every move by exact scores …");
    this.empty = make("div", {}, make("p", {}, "There is no run with games yet. Play some, for example with"),
      make("pre", { tabindex: "0", "aria-label": "A command" }, "python -m experiments.run experiment=match player1=uct player2=level_3 games=20"),
      make("p", {}, "and then ", button("look again", () => this.show(), { class: "link" }), "."));
    this.elsewhere = [button("Play on from here", () => this.leave("play")), button("Compare two rules here", () => this.leave("compare"))];
    this.below = make("div", { class: "row" }, this.elsewhere, button("Save as one file", () => this.keep()));
    this.choose = make("div", { class: "card fields choose" }, field("Run", this.run), this.numberField, make("div", { class: "row" }, this.around));
    this.whole = make("div", {});
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
    const gone = replay.run && !this.runs.some(({ folder }) => folder === replay.run) ? `There is no run ${JSON.stringify(replay.run)} here any more.` : "";
    this.fault.say(gone);
    if (!any) return;
    this.run.replaceChildren(...this.runs.map(({ folder, label, games }) => make("option", { value: folder }, `${label ?? folder} (${games} ${games === 1 ? "game" : "games"})`)));
    if (replay.run && !gone) await this.open(replay.run, replay.game, replay.ply, false);
    else await this.open(this.runs[0].folder, 0, null, false, gone);
  }

  async open(folder, number, ply = null, step = true, said = "") {
    const { games } = this.runs.find((run) => run.folder === folder);
    this.run.value = folder;
    if (!Number.isInteger(number) || number < 0 || number >= games) {
      this.fault.say(`Game must be a whole number from 0 to ${games - 1}${number === undefined || Number.isNaN(number) ? "" : `; got ${JSON.stringify(number)}`}.`);
      return;
    }
    this.fault.say(said);
    Object.assign(this.app.state.replay, { run: folder, game: number, ply });
    this.app.save({ step });
    this.number.value = number;
    this.number.max = games - 1;
    this.numberField.querySelector(".about").textContent = `From 0 to ${games - 1}, as in tables and commands.`;
    this.around.forEach((one, place) => { one.disabled = place ? number + 1 >= games : number === 0; });
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    this.waiting.hidden = false;
    try {
      const found = await ask(addressOf(folder, number), { signal });
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
    const { replay } = this.app.state;
    this.view?.destroy();
    this.whole.hidden = false;
    this.whole.dataset.game = replay.game;
    const isOwn = Boolean(found.position.texts); // a user's class
    const { ply } = replay, { length } = isOwn ? found.moves : parseMoves(found.position.moves, found.position.width);
    for (const one of this.elsewhere) one.hidden = isOwn;
    const known = ply === null || (Number.isInteger(ply) && ply >= 0 && ply <= length);
    if (!known) this.fault.say(`Ply must be a whole number from 0 to ${length}; got ${JSON.stringify(ply)}.`);
    this.view = new (isOwn ? PositionsView : GameView)(this.whole, found, {
      start: known ? ply : null, below: this.below, onPly: (ply) => { replay.ply = ply; this.app.save(); },
    });
  }

  async keep() {
    const { run, game } = this.app.state.replay;
    try {
      download(await ask(`${addressOf(run, game)}?file`, { as: "blob" }), `game_${game}.html`);
    } catch (error) {
      this.fault.say(`${capital(error.message)}.`);
    }
  }

  leave(tab) {
    this.app.state.position = this.view.game.told();
    this.app.go(tab);
  }
}
