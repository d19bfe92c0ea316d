// One or two rules on the same recorded bandit, side by side under one set of controls.

import { Arms, Axis, signs } from "lab/bandit/arms";
import { banditWords } from "lab/bandit/words";
import { Controls } from "lab/shared/controls";
import { head } from "lab/recording/head";
import { LinePlot } from "lab/shared/plot";
import { decoded } from "lab/recording/replay";
import { decimals, html, lineColour, number, unique } from "lab/shared/svg";

/** One rule's pulls, with what is counted from them: `pulls[arm][n]` and `sums[arm][n]` are those of the first n. */
export class PlayedBandit {
  constructor(play, arms) {
    const { name, label, formula, index, posterior } = play;
    Object.assign(this, { name, label, formula, index, posterior, unit: arms.law === "Bernoulli" || Boolean(posterior) });
    this.arm = decoded(play.arm, Uint16Array);
    this.length = this.arm.length;
    for (const key of ["reward", "means", "scores"]) this[key] = decoded(play[key], Float32Array);
    this.regret = withZero(decoded(play.pseudo_regret, Float32Array));
    this.realised = withZero(decoded(play.realised_regret, Float32Array));
    this.count = arms.means.length;
    this.pulls = arms.means.map(() => new Float64Array(this.length + 1));
    this.sums = arms.means.map(() => new Float64Array(this.length + 1));
    for (let at = 0; at < this.length; at += 1) {
      for (let arm = 0; arm < this.count; arm += 1) {
        const now = this.arm[at] === arm;
        this.pulls[arm][at + 1] = this.pulls[arm][at] + (now ? 1 : 0);
        this.sums[arm][at + 1] = this.sums[arm][at] + (now ? this.reward[at] : 0);
      }
    }
  }

  /** Return the arms' estimates before pull at + 1. */
  meansAt(at) {
    return this.means.subarray(at * this.count, (at + 1) * this.count);
  }

  /** Return the arms' scores by which pull at + 1 was chosen. */
  scoresAt(at) {
    return this.scores.subarray(at * this.count, (at + 1) * this.count);
  }

  /** Return the rewards of the first n pulls together. */
  won(n) {
    return this.sums.reduce((sum, one) => sum + one[n], 0);
  }
}

/**
 * Show a recording of a bandit in an element.
 *
 * Options: `heading` (the level of the title, 1; 0 for no title) and `start` (the pull that is shown first, 0). Returns
 * `{seek(n), destroy()}`.
 */
export function mountBandit(element, recording, { heading = 1, start = 0 } = {}) {
  const { arms, horizon } = recording, level = Math.max(2, heading + 1);
  const root = html("div", { class: "lab bandit" });
  element.append(root);
  root.classList.toggle("two", recording.plays.length > 1);
  const controlled = html("div", { class: "controlled" }), panels = html("div", { class: "rules" });
  const sections = html("section", { class: "pulls-drawn" }, html(`h${level}`, {}, "Pulls of each arm"));
  const plots = html("div", { class: "rules" });
  sections.append(plots);
  const plays = recording.plays.map((play) => new PlayedBandit(play, arms));
  const onSeek = (n) => controls?.step(n - controls.n);
  const changes = arms.changes ?? [], axis = new Axis(plays, [arms.means, ...changes.map(([, means]) => means)].flat());
  const high = Math.max(...plays.flatMap((play) => play.pulls.map((one) => one[horizon])));
  root.append(head(recording, heading, root), controlled, panels, explanation(plays, level, changes.length > 0), sections);
  const shown = plays.map((play, place) => new Panel(panels, plots, play, { arms, level, onSeek, place, axis, high }));
  const regret = new Regret(root, plays, { level, onSeek, changes });
  const toggle = html("input", { type: "checkbox" });
  toggle.addEventListener("change", () => [regret, ...shown].forEach((one) => one.plot.setLog(toggle.checked)));
  regret.options.append(html("label", {}, toggle, " logarithmic axis of pulls"));
  let controls = null;
  controls = new Controls(controlled, {
    length: horizon, unit: "pull", start,
    onSeek: (n, playing) => [regret, ...shown].forEach((one) => one.seek(n, playing)),
  });
  return {
    seek: (n) => controls.seek(n),
    destroy() {
      controls.destroy();
      for (const one of [regret, ...shown]) one.destroy();
      root.remove();
    },
  };
}

/** One rule: what it does at this pull, its arms, and how often it pulled each. */
class Panel {
  constructor(element, plots, play, { arms, level, onSeek, place, axis, high }) {
    this.play = play;
    this.changes = arms.changes ?? [];
    this.names = arms.names.map((name) => (/^\d+$/.test(name) ? `Arm ${name}` : name));
    const title = unique("rule");
    this.told = html("p", { class: "told-pull" });
    this.sums = html("p", { class: "sums" });
    const table = html("div"), plot = html("div");
    const name = () => [html("i", { class: "key-line", style: `background:${lineColour(place)}`, "aria-hidden": "true" }), play.label];
    element.append(html(
      "section", { class: "rule", "aria-labelledby": title }, html(`h${level}`, { id: title }, ...name()),
      html("p", { class: "formula" }, play.formula), this.told, table, this.sums,
    ));
    plots.append(html("div", { class: "plot-of-rule" }, html("p", { class: "formula" }, ...name()), plot));
    this.arms = new Arms(table, play, arms, axis);
    this.plot = new LinePlot(plot, {
      title: `Pulls of each arm by ${play.label}`, xLabel: "pulls", yLabel: "pulls of the arm", low: 0, high, onSeek,
      height: 200, most: 8, marks: this.changes.map(([after]) => after),
      series: play.pulls.map((values, arm) => ({ label: this.names[arm], values })), format: (value) => number(value),
    });
  }

  seek(n, playing) {
    const { play } = this, won = play.won(n);
    this.arms.update(n);
    this.plot.update(n);
    this.told.setAttribute("aria-live", playing ? "off" : "polite");
    const changed = this.changes.some(([after]) => n > 0 && after === n - 1);
    this.told.textContent = `${changed ? "The true means have just changed. " : ""}${this.#sentence(n)}`;
    this.sums.textContent =
      `${n === 0 ? "So far" : "After this pull"}: reward ${play.unit ? number(won) : decimals(won, 1)}, regret ${decimals(play.regret[n], 1)} ` +
      `(realised ${decimals(play.realised[n], 1)}).`;
  }

  #sentence(n) {
    if (n === 0) return "Nothing has been pulled yet. Play, or go one step.";
    const { play, names } = this, at = n - 1, arm = play.arm[at], score = play.scoresAt(at)[arm];
    const scores = play.scoresAt(at), best = highest(scores), means = play.meansAt(at), mean = means[arm];
    const ends = `It pays ${number(play.reward[at], 3)}.`;
    if (Number.isNaN(score)) {
      if (play.pulls[arm][at] === 0) return `${names[arm]} is pulled for the first time. ${ends}`;
      if (play.index === "forgets") return `${names[arm]} is pulled. ${ends}`;
      if (mean < highest(means)) return `${names[arm]} is pulled, though another arm has a higher mean. ${ends}`;
      return `${names[arm]} is pulled: it has the highest mean, ${decimals(mean, 3)}. ${ends}`;
    }
    if (score < best) return `${names[arm]} is pulled, though another arm has a higher index. ${ends}`;
    const equals = scores.filter((one) => one === best).length;
    const among = equals > 1 ? `, one of ${equals} equals` : "";
    const what = play.index === "sample" ? "draw" : "index";
    const parts = play.index === "bonus" && Number.isFinite(score) ? `${decimals(mean, 3)} + ${decimals(score - mean, 3)} = ` : "";
    return `${names[arm]} has the highest ${what}, ${parts}${decimals(score, 3)}${among}: it is pulled. ${ends}`;
  }

  destroy() {
    this.arms.destroy();
    this.plot.destroy();
  }
}

/** The regrets of all rules in one plot. */
class Regret {
  constructor(element, plays, { level, onSeek, changes }) {
    const place = html("div"), several = plays.length > 1, words = banditWords();
    this.options = html("p", { class: "plot-options" });
    const sentence = html("p", { class: "sentence" }, `${changes.length ? words.dynamic : words.regret} ${words.regrets}`);
    element.append(html("section", { class: "regret" }, html(`h${level}`, {}, "Regret"), sentence, this.options, place));
    const series = plays.flatMap((play, i) => [
      { label: several ? play.label : "expected", values: play.regret, colour: lineColour(i) },
      {
        label: "realised", said: `realised by ${play.label}`, values: play.realised, colour: lineColour(i), dash: "3 2",
      },
    ]);
    const format = (value) => decimals(value, 1);
    this.plot = new LinePlot(place, { title: "Regret", xLabel: "pulls", yLabel: "regret", series, onSeek, format, height: 260, marks: changes.map(([after]) => after) });
  }

  seek(n) {
    this.plot.update(n);
  }

  destroy() {
    this.plot.destroy();
  }
}

/** Say in a sentence what each number and each sign means. */
function explanation(plays, level, changing) {
  const list = html("dl", { class: "words" }), kinds = new Set(plays.map((play) => play.index)), icons = signs();
  const say = (name, sentence, icon = "") => list.append(html("div", {}, html("dt", {}, icon, name), html("dd", {}, sentence)));
  const words = banditWords();
  say("True mean", changing ? words.moving : words.truth, icons.truth);
  say("Mean", kinds.has("forgets") ? words.forgotten : words.mean, icons.mean);
  if (plays.some((play) => play.meansAt(0).some((mean) => mean !== 0))) say("Assumed", words.assumed, icons.assumed);
  if (plays.some((play) => play.posterior)) say("Posterior", words.posterior, icons.posterior);
  if (kinds.has("bonus")) say("Bonus", words.bonus, icons.bonus);
  if (kinds.has("bonus")) say("Index", banditWords("bonus").index, icons.index);
  else if (kinds.has("other")) say("Index", banditWords("other").index, icons.index);
  if (kinds.has("sample")) say("Draw", banditWords("sample").index, icons.draw);
  if (plays.some((play) => play.scores.includes(-Infinity))) say("Lower", words.lower);
  say("Pulls", words.pulls);
  say("Pays", words.reward);
  return html("section", { class: "explained" }, html(`h${level}`, {}, "What the numbers mean"), list);
}

function highest(values) {
  return Math.max(...[...values].filter((one) => !Number.isNaN(one)));
}

function withZero(values) {
  const found = new Float32Array(values.length + 1);
  found.set(values, 1);
  return found;
}
