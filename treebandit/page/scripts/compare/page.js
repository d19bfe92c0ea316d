// The tab "Compare": one position searched by two rules, side by side.
import { post } from "lab/shared/api";
import { stoneSign } from "lab/shared/board";
import { button, field, make, sentence } from "lab/shared/elements";
import { Game } from "lab/shared/game";
import { RecordingForm } from "lab/recording/form";
import { mountSearch } from "lab/recording/search_view";
import { NumberField } from "lab/shared/settings";

export const mount = (element, app) => new ComparePage(element, app);

class ComparePage {
  constructor(element, app) {
    this.app = app;
    const settings = () => app.state.compare;
    this.numbers = [
      new NumberField({ name: "simulations", type: "whole", low: 1, default: 2000, help: "of each rule" }, 2000, () => this.changed()),
      new NumberField({ name: "seed", type: "whole", low: 0, default: 0, help: "the same for both" }, 0, () => this.changed()),
    ];
    this.exact = make("input", { type: "checkbox", id: "compare-exact", onchange: () => this.changeExact() });
    const { game } = app.catalogue; // the user's, if the server was started with one
    this.game = make("select", { onchange: () => this.choose() }, make("option", { value: "" }, "Connect 4"), game && make("option", { value: "own" }, game.title));
    this.moves = make("input", { type: "text", spellcheck: "false", autocomplete: "off", onchange: () => this.use(), oninput: () => this.fault.say() });
    this.size = make("span", { class: "caption" });
    this.fault = sentence();
    const position = field("position", this.moves);
    position.append(this.size, this.fault.element);
    this.form = new RecordingForm({
      path: "/api/recordings", rules: app.search_rules.filter(({ tree }) => tree), titles: ["First rule", "Second rule"],
      settings, numbers: this.numbers, mount: (place, recording, start = recording.searches[0].simulations) => mountSearch(place, recording, { heading: 2, start }), go: "Search", waiting: "Searching …",
      room: app.catalogue.recordings.bytes, bytesAStep: () => this.bytesAStep(),
      question: () => this.question(), fileName: () => this.fileName(), onChange: () => app.save(),
      onShown: (recording, signal) => { this.recording = recording; this.addExact(signal); },
      ofFile: () => (app.state.compare.own ? this.question() : { ...this.question(), exact: Boolean(this.recording?.exact) }),
      fields: make("div", { class: "fields" }, game && field("game", this.game), position, this.numbers.map((one) => one.element),
        this.exactField = make("div", { class: "field" }, make("label", { for: "compare-exact" }, "exact scores"), make("div", { class: "check" }, this.exact, make("span", { class: "about" }, `if they are found in ${app.catalogue.recordings.seconds} s`)))),
    });
    this.playOn = button("Play on from here", () => { app.left = null; app.go("play"); });
    this.form.save.after(this.playOn);
    element.append(
      make("p", { class: "lead" }, "The same position and seed under two rules, simulation by simulation: what each knows, and which move it tries next. These searches are new and use the seed below, so their numbers differ a little from those in a game."),
      this.form.element,
      this.form.place);
  }

  show() {
    const { compare } = this.app.state;
    if (compare.own) this.showOwn();
    else this.showBoard();
    this.game.value = compare.own ? "own" : "";
    this.exactField.hidden = this.playOn.hidden = compare.own;
    this.form.room = compare.own ? this.app.catalogue.game?.bytes ?? 0 : this.app.catalogue.recordings.bytes;
    [compare.simulations, compare.seed].forEach((value, place) => { this.numbers[place].value = value; });
    this.exact.checked = compare.exact;
    this.fault.say();
    const unknown = this.form.fill();
    this.form.show();
    if (unknown) this.form.fault.say(unknown);
  }

  showBoard() {
    const { position } = this.app.state;
    this.moves.value = position.moves;
    this.size.replaceChildren(`Moves, columns from 1; ${position.width} × ${position.height}, ${position.connect} in a row. `);
    try {
      const { toMove } = new Game(position).position;
      this.size.append(stoneSign(toMove), ` ${toMove === 1 ? "X" : "O"} to move.`);
    } catch { /* the form says what is wrong with it */ }
  }

  showOwn() {
    this.moves.value = this.app.state.compare.line;
    this.size.replaceChildren("Moves as their texts, with blanks between them; none: the first position.");
  }

  choose() {
    this.app.state.compare.own = this.game.value === "own";
    this.app.save({ step: true });
    this.show();
  }

  changed() {
    Object.assign(this.app.state.compare, { simulations: this.numbers[0].value, seed: this.numbers[1].value });
    this.form.changed();
  }

  changeExact() {
    this.app.state.compare.exact = this.exact.checked;
    this.app.save();
    if (!this.form.view) return;
    this.recording.exact = null;
    this.form.draw(this.recording, this.form.step);
    this.form.state.textContent = "";
    this.addExact();
  }

  // Shows the search at once; adds exact scores, which may take long, when they are known.
  async addExact(signal) {
    this.solving?.abort();
    const { recording } = this, own = (this.solving = new AbortController()), { state } = this.form;
    if (!this.app.state.compare.exact || recording.exact || recording.position.texts) return;
    signal?.addEventListener("abort", () => own.abort());
    state.textContent = "Solving every column for its exact score …";
    try {
      const { scores, why } = await post("/api/scores", recording.position, { signal: own.signal });
      if (own.signal.aborted || recording !== this.recording) return;
      state.textContent = scores ? "" : `No exact scores: ${why ?? "they are not found in time"}.`;
      if (!scores) return;
      recording.exact = scores;
      this.form.draw(recording, this.form.step);
    } catch (error) {
      if (!own.signal.aborted) state.textContent = `No exact scores: ${error.message}`;
    }
  }

  hide() { this.solving?.abort(); }

  use() {
    const { position, compare } = this.app.state;
    if (compare.own) {
      compare.line = this.moves.value.trim();
      this.app.save({ step: true });
      this.show();
      return;
    }
    try {
      this.app.state.position = new Game({ ...position, moves: this.moves.value.replace(/\s+/g, "") }).told();
    } catch (error) {
      this.fault.say(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
      return;
    }
    this.app.save({ step: true });
    this.show();
  }

  bytesAStep() {
    if (this.app.state.compare.own) return this.app.catalogue.game?.step ?? 1;
    const { search: [own, each] } = this.app.catalogue.recordings, { position } = this.app.state;
    try { return own + each * new Game(position).position.legal().length; } catch { return own + each * position.width; }
  }

  question() {
    const { position, compare } = this.app.state;
    if (compare.own) return this.ofOwn(compare);
    const game = new Game(position);
    if (game.position.isFinished()) throw new Error("The game is over here: there is nothing to search. Take a move back on Play, or give other moves.");
    return { position: game.told(), rules: compare.rules, simulations: compare.simulations, seed: compare.seed, exact: false };
  }

  ofOwn({ rules, simulations, seed, line }) {
    if (!this.app.catalogue.game) throw new Error("This page was started without a game of yours: start it with game=my_games.Nim, or choose Connect 4.");
    return { game: { moves: line }, rules, simulations, seed };
  }

  fileName() {
    const { position, compare } = this.app.state;
    if (compare.own) return `${["search", ...compare.rules.map(({ name }) => name)].join("_")}.html`;
    return `${["search", position.moves.replaceAll(",", "-") || "empty", ...compare.rules.map(({ name }) => name)].join("_").slice(0, 80)}.html`;
  }
}
