// One or two recorded searches of one position, side by side under one set of controls.

import { Columns, fixed, scaleFor, scaleForShare, short } from "lab/shared/columns";
import { Controls } from "lab/shared/controls";
import { head } from "lab/recording/head";
import { LinePlot } from "lab/shared/plot";
import { gameOf } from "lab/recording/positions";
import { Ended, Replay } from "lab/recording/replay";
import { Story } from "lab/recording/story";
import { html, number, unique } from "lab/shared/svg";
import { TreeView } from "lab/recording/tree";
import { formulaWords, searchWords } from "lab/shared/words";

const KEYS = "Keys: space plays and pauses, ← and → go a step, with shift ten, Home and End to the ends.";
const FITS = "Where there is no room for all moves of a position, the most visited ones are drawn.";

/**
 * Show a recording of searches in an element.
 *
 * Options: `heading` (the level of the title, 1; 0 for no title), `start` (the simulation that is shown first, 0),
 * `trees` and `plots` (whether to draw them: true). Returns `{seek(n), destroy()}`.
 */
export function mountSearch(element, recording, { heading = 1, start = 0, trees = true, plots = true } = {}) {
  const root = html("div", { class: "lab search" });
  element.append(root);
  const { searches } = recording, moving = searches.every((search) => !search.tree);
  root.classList.toggle("two", searches.length > 1);
  const controlled = html("div", { class: "controlled" }), panels = html("div", { class: "panels" });
  root.append(head(recording, heading, root), controlled, panels);
  const length = Math.max(...searches.map((search) => search.simulations));
  let controls = null;
  const options = { recording, trees, level: Math.max(2, heading + 1), onSeek: (n) => controls.step(n - controls.n) };
  const shown = searches.map((search) => new Panel(panels, search, options));
  if (moving && plots) {
    const most = Math.max(...shown.flatMap(({ history }) => history.visits.map((one) => one.at(-1))));
    for (const panel of shown) panel.addPlots(options, most);
  }
  const scales = moving ? scalesOf(shown, length) : [];
  const seek = (n, playing) => {
    for (const [place, panel] of shown.entries()) panel.seek(n, scales[place]?.[n], playing);
  };
  if (moving) controls = new Controls(controlled, { length, onSeek: seek, start });
  else seek(length, false);
  if (searches.length > 1) controlled.append(choice(root, searches));
  if (moving) root.append(html("p", { class: "sentence keys-said" }, KEYS));
  return {
    seek: (n) => controls?.seek(n),
    destroy() {
      controls?.destroy();
      for (const panel of shown) panel.destroy();
      root.remove();
    },
  };
}

/** Return buttons that show one of two searches where there is no room for both. */
function choice(root, searches) {
  const title = searches[0].name === searches[1].name ? "label" : "name";
  const buttons = searches.map((search) => html("button", { type: "button" }, search[title]));
  const choose = (place) => {
    root.dataset.rule = place;
    for (const [i, button] of buttons.entries()) button.setAttribute("aria-pressed", String(i === place));
  };
  for (const [i, button] of buttons.entries()) button.addEventListener("click", () => choose(i));
  choose(0);
  return html("div", { class: "which", role: "group", "aria-label": "Rule that is shown" }, ...buttons);
}

function visitsOf(count) {
  return `${number(count)} visit${count === 1 ? "" : "s"}`;
}

/** Return for each search, and every simulation, the ends of the bars: the same ones for all that can be compared. */
function scalesOf(panels, length) {
  const compared = panels.filter(({ search }) => search.index !== "other"), shared = scalesFor(compared, length, 1);
  return panels.map((panel) => (compared.includes(panel) ? shared : scalesFor([panel], length, -Infinity)));
}

/** Return for every simulation the ends of the bars, with room for all that is still to come; `high` at least. */
function scalesFor(panels, length, high) {
  const scales = new Array(length + 1);
  let low = 0, share = 0;
  for (let n = length; n >= 0; n -= 1) {
    for (const { replay: { scores, moves }, history } of panels) {
      for (let place = 0; place < moves.length && n > 0; place += 1) {
        const score = scores[(n - 1) * moves.length + place];
        if (score > high && score !== Infinity) high = score;
        if (score < low && score !== -Infinity) low = score;
        share = Math.max(share, history.visits[place][n] / n);
      }
    }
    const ends = { low: low < 0 ? -scaleFor(-low) : 0, high: high > 0 ? scaleFor(high) : 0 };
    scales[n] = { ...ends, high: ends.high > ends.low ? ends.high : 1, share: scaleForShare(share) };
  }
  return scales;
}

/** One search: what its simulation does, the numbers above the columns, the board, the tree and the plots. */
class Panel {
  constructor(element, search, { recording, trees, level }) {
    const game = gameOf(recording);
    this.search = search;
    this.exact = recording.exact;
    this.game = game;
    [this.side, this.other] = [game.side(game.mover), game.side(-game.mover)];
    this.replay = search.tree ? new Ended(search, game) : new Replay(search, game);
    this.table = game.table(this.replay);
    if (!search.tree) this.history = this.replay.history();
    this.words = searchWords(this.side, this.other, game.noun);
    this.chosen = null; // the node and its moves that the reader chose in the tree
    const title = unique("search"), more = html("div", { class: "more" });
    this.element = html(
      "section", { class: "panel", "aria-labelledby": title },
      html("header", {}, html(`h${level}`, { id: title }, search.label),
        html("p", { class: "formula" }, search.formula), html("p", { class: "sentence" }, formulaWords(search.formula, game.noun))),
    );
    if (!search.tree) this.element.append((this.story = new Story(search, game)).element);
    this.element.append(this.#board(), more);
    if (trees) this.#addTree(more, level);
    element.append(this.element);
  }

  #board() {
    const { game, table: { columns, labels, places } } = this;
    const wide = html("div", { class: "columns-and-board" }), scores = this.replay.scores ?? this.replay.root.scores;
    this.columns = new Columns(wide, columns, labels, {
      side: this.side, other: this.other, noun: game.noun, lower: scores.includes(-Infinity),
    });
    const all = this.search.moves.length, some = places.length < all;
    if (some) wide.prepend(html("p", { class: "sentence" }, `The ${places.length} most visited of ${number(all)} moves.`));
    this.caption = html("figcaption", {});
    wide.append(html("figure", { class: "position" }, game.picture, this.caption));
    const longest = Math.max(...labels.map((label) => label.length));
    const scrolled = labels.length > 8 || longest > 5 ? { tabindex: "0", role: "region", "aria-label": `${game.noun === "move" ? "Moves and position" : "Columns and board"}` } : {};
    const style = `--columns:${labels.length};--rows:${game.rows};--letters:${longest}`;
    return html("div", { class: game.noun === "move" ? "sideways own" : "sideways", style, ...scrolled }, wide);
  }

  #addTree(element, level) {
    const place = html("div", { class: "tree-place" });
    element.append(
      html("section", {}, html(`h${level + 1}`, {}, "Tree"), html("p", { class: "sentence" }, this.words.tree + (this.game.noun === "move" ? ` ${FITS}` : "")), place),
    );
    this.tree = new TreeView(place, {
      name: (move) => this.game.name(move),
      title: (move) => this.game.title(move),
      fits: this.game.noun === "move",
      thing: this.game.noun === "move" ? "position" : "board",
      picture: (moves) => this.game.pictured(moves),
      sign: (depth) => this.game.sign(depth % 2 === 1 ? this.game.mover : -this.game.mover),
      onNode: (node, moves) => {
        this.chosen = moves.length > 0 ? { node, moves } : null;
        this.#drawBoard();
      },
    });
  }

  /** Draw visits and means; all searches have axes up to `most` visits. */
  addPlots({ level, onSeek }, most) {
    const { visits, means } = this.history;
    const { noun } = this.game, label = (place) => `${noun} ${this.game.name(this.search.moves[place])}`;
    const series = (all) => this.table.places.map((place) => ({ label: label(place), values: all[place] }));
    const places = [html("div", {}), html("div", {})];
    this.element.querySelector(".more").append(
      html("section", {}, html(`h${level + 1}`, {}, "Simulation by simulation"),
        html("p", { class: "sentence" }, this.words.plots), ...places),
    );
    const shared = { xLabel: "simulations", onSeek, like: most < 10_000 ? "0.000" : short(most), low: 0 };
    this.plots = [
      new LinePlot(places[0], {
        ...shared, title: `Visits of each ${noun}`, yLabel: "visits", high: most, series: series(visits),
        format: (count) => short(Math.round(count)),
      }),
      new LinePlot(places[1], {
        ...shared, title: `Mean of each ${noun}`, yLabel: "mean", high: 1, series: series(means),
        format: (value) => fixed(value, 3),
      }),
    ];
  }

  seek(n, scale, playing) {
    this.replay.seek(n);
    this.scale = scale;
    this.playing = playing;
    this.#show();
  }

  #show() {
    const { replay, search, exact, table: { places, columns } } = this;
    const chosen = replay.path.length > 1 ? replay.moves.indexOf(replay.move[replay.path[1]]) : -1;
    const here = ({ visits, means, scores }) => ({ visits: some(visits), means: some(means), scores: some(scores) });
    const some = (values) => (values ? places.map((place) => values[place]) : null);
    this.columns.update({
      ...here(replay.root), exact, index: search.index, chosen: columns[places.indexOf(chosen)] ?? null,
      before: here(replay.before), initial: search.initial, scale: this.scale,
      total: replay.root.visits.reduce((sum, one) => sum + one, 0),
    });
    this.story?.update(replay, this.playing);
    this.#drawBoard();
    this.tree?.update(replay, { path: replay.path });
    for (const plot of this.plots ?? []) plot.update(replay.n);
  }

  #drawBoard() {
    const { replay, game, chosen } = this;
    const said = game.draw(chosen?.moves ?? replay.movesTo(replay.path.at(-1) ?? 0));
    this.caption.replaceChildren(...(chosen ? this.#ofChosen(chosen) : [said ?? this.#ofRoot()]));
  }

  #ofRoot() {
    return this.search.tree ? "The position that was searched." : "The position that is searched.";
  }

  #ofChosen({ node, moves }) {
    const { replay, game } = this, mover = moves.length % 2 === 1 ? game.mover : -game.mover;
    const visited = node >= 0 && replay.visits[node] > 0;
    const mean = visited ? fixed(replay.values[node], 3) : "";
    const known = visited ? `${visitsOf(replay.visits[node])}, mean ${mean} for ${game.side(mover)}` : "not visited";
    const name = this.search.tree ? "Back to the root" : "Back to the path";
    const back = html("button", { type: "button", class: "link" }, name);
    back.addEventListener("click", () => {
      this.chosen = null;
      this.tree.forget();
      this.#drawBoard();
    });
    return [`Chosen in the tree, after ${moves.map((move) => game.title(move)).join(", ")}: ${known}. `, back];
  }

  destroy() {
    for (const plot of this.plots ?? []) plot.destroy?.();
    this.tree?.destroy?.();
  }
}
