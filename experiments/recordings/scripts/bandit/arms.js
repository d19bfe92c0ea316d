// The arms of a recorded bandit in a table: what the rule knows of each before a pull, and which one it pulls.

import { decimals, html, make, number, onWidth } from "lab/shared/svg";
import { ticks } from "lab/shared/plot";

const POINTS = 64; // of a density
const HEADS = { bonus: "Index", sample: "Draw", other: "Index" };

/**
 * A table with a row for each arm.
 *
 * `play` is a `PlayedBandit` (bandit_view.js), `names` and `means` those of the arms, `changes` the pulls after which
 * they have other means, each with these, `axis` the common `Axis`.
 * There a row has the true mean as an upright mark, the estimate as a dot, and what the rule compares: for a bonus a bar from the estimate to
 * the index, for draws the posterior density and the draw as a diamond.
 */
export class Arms {
  constructor(element, play, { names, means, changes = [] }, axis) {
    Object.assign(this, { play, names, truths: [[0, means], ...changes], ends: axis, width: 0, n: null });
    this.kind = play.index;
    this.rowHeight = names.length <= 5 ? 44 : names.length <= 10 ? 34 : 27;
    [this.low, this.high] = axis.at(0);
    this.axis = make("svg", { class: "arm-axis", height: 20, "aria-hidden": "true" });
    const head = (text, name) => html("th", { scope: "col", class: name ?? null }, text);
    this.chart = html("th", { scope: "col", class: "chart" }, html("span", { class: "unseen" }, "Drawing"), this.axis);
    const heads = [head("Arm"), this.chart, head("Mean", "n")];
    if (this.kind === "bonus") heads.push(head("Bonus", "n part"));
    if (HEADS[this.kind]) heads.push(head(HEADS[this.kind], "n"));
    heads.push(head("Pulls", "pulls"), head("Pays", "paid"));
    const body = html("tbody");
    this.rows = names.map((name, arm) => this.#row(body, name, arm));
    element.append(html("div", { class: "arms-box" }, html("table", { class: `arms ${this.kind}` },
      html("caption", { class: "unseen" }, "What the rule knows of each arm before this pull"),
      html("thead", {}, html("tr", {}, ...heads)), body)));
    this.unwatch = onWidth(this.chart, (width) => this.#resize(width));
  }

  /** Show the arms as they are before pull n (from 1), and which one it pulls; 0 is before any. */
  update(n) {
    this.n = n;
    if (this.width === 0) return;
    const [low, high] = this.ends.at(n);
    if (low !== this.low || high !== this.high) {
      Object.assign(this, { low, high });
      this.#draft();
    }
    const { play } = this, at = Math.max(0, n - 1), pulled = n > 0 ? play.arm[at] : -1;
    const [, truths] = this.truths.findLast(([after]) => after <= at);
    const scores = play.scoresAt(at), best = Math.max(...[...scores].filter((score) => !Number.isNaN(score)));
    for (const [arm, row] of this.rows.entries()) {
      const pulls = play.pulls[arm][at], mean = play.meansAt(at)[arm], known = pulls > 0 || mean !== 0;
      const score = n > 0 ? scores[arm] : NaN;
      row.line.classList.toggle("pulled", arm === pulled);
      write(row.mean, known ? decimals(mean, 3) : "–");
      if (row.bonus) write(row.bonus, Number.isFinite(score) ? decimals(score - mean, 3) : "–");
      if (row.score) {
        write(row.score, score === -Infinity ? "lower" : decimals(score, 3));
        row.score.classList.toggle("best", score === best);
      }
      write(row.pulls, number(pulls));
      row.bar.style.width = `${at > 0 ? (100 * pulls) / at : 0}%`;
      write(row.paid, arm === pulled ? number(play.reward[at], 3) : "");
      row.paid.classList.toggle("nothing", play.reward[at] <= 0);
      this.#place(row, arm, truths[arm]);
      this.#draw(row, arm, { mean, known, score, pulls, sum: play.sums[arm][at] });
    }
  }

  destroy() {
    this.unwatch();
  }

  #row(body, name, arm) {
    const cell = (kind) => html("td", { class: kind }), row = { key: "" };
    const digits = number(this.play.length).length; // room for all numbers from the beginning, so that nothing moves
    const [mean, pulls] = [cell("n"), html("b", { style: `min-width:${digits}ch` })];
    const paid = html("span", { class: this.play.unit ? "coin" : "coin number" });
    const bonus = this.kind === "bonus" ? cell("n part") : null, score = HEADS[this.kind] ? cell("n score") : null;
    const bar = html("i"), share = html("span", { class: "share", "aria-hidden": "true" }, bar);
    const counted = html("td", { class: "pulls" }, html("div", {}, pulls, share));
    row.svg = make("svg", { height: this.rowHeight, "aria-hidden": "true", class: "arm-row" });
    row.title = html("th", { scope: "row" }, name);
    const cells = [row.title, html("td", { class: "chart" }, row.svg), mean, bonus, score, counted, html("td", { class: "paid" }, paid)];
    row.line = html("tr", {}, ...cells.filter(Boolean));
    body.append(row.line);
    return Object.assign(row, { mean, bonus, score, pulls, bar, paid });
  }

  #resize(width) {
    this.width = width;
    this.#draft();
    if (this.n !== null) this.update(this.n);
  }

  // Draws what depends on the axis only.
  #draft() {
    const { width } = this, inner = width - 14;
    this.x = (value) => 7 + ((value - this.low) / (this.high - this.low)) * inner;
    this.axis.setAttribute("width", width);
    const values = ticks(this.low, this.high, Math.max(1, Math.floor(inner / 38)));
    this.axis.replaceChildren(...values.map((value) =>
      make("text", { x: this.x(value), y: 14, "text-anchor": "middle" }, number(value))));
    const h = this.rowHeight, middle = h / 2;
    for (const row of this.rows) {
      row.svg.setAttribute("width", width);
      const part = (name, attributes = {}) => make(name, attributes);
      row.truth = part("line", { class: "truth", y1: 3, y2: h - 3 });
      row.density = part("path", { class: "density" });
      row.interval = part("line", { class: "interval", y1: middle, y2: middle });
      row.end = part("path", { class: "end" });
      row.estimate = part("circle", { class: "estimate", cy: middle, r: h > 30 ? 5 : 4 });
      row.draw = part("path", { class: "draw" });
      row.svg.replaceChildren(
        ...values.map((value) => make("line", { class: "grid", x1: this.x(value), x2: this.x(value), y1: 0, y2: h })),
        row.density, row.truth, row.interval, row.end, row.estimate,
        row.draw,
      );
      row.key = "";
    }
  }

  // Puts the upright mark where the true mean is at this pull.
  #place(row, arm, truth) {
    row.truth.setAttribute("x1", this.x(truth));
    row.truth.setAttribute("x2", this.x(truth));
    row.title.title = `${this.names[arm]}: true mean ${number(truth, 4)}`;
  }

  #draw(row, arm, { mean, known, score, pulls, sum }) {
    const { posterior } = this.play, h = this.rowHeight, middle = h / 2, px = this.x(mean);
    const show = (element, yes) => element.classList.toggle("hidden", !yes);
    show(row.estimate, known);
    row.estimate.setAttribute("cx", Math.min(px, this.x(this.high)));
    row.estimate.classList.toggle("prior", pulls === 0);
    const beyond = score > this.high, to = this.x(Math.min(score, this.high)), bound = this.kind === "bonus" || this.kind === "other";
    const scored = score > -Infinity; // which NaN is not
    show(row.interval, bound && scored);
    show(row.end, bound && scored);
    show(row.draw, !bound && scored);
    if (scored) {
      row.interval.setAttribute("x1", known ? px : to);
      row.interval.setAttribute("x2", to);
      row.end.setAttribute("d", beyond ? `M${to - 4} ${middle - 6}l7 6l-7 6` : `M${to} ${middle - 7}v14`);
      row.draw.setAttribute("d", `M${to} ${middle - 6}l5 6l-5 6l-5 -6z`);
    }
    show(row.density, Boolean(posterior));
    if (posterior) {
      const alpha = posterior.alpha + sum, beta = posterior.beta + pulls - sum, key = `${alpha} ${beta}`;
      if (key !== row.key) row.density.setAttribute("d", densityPath(alpha, beta, this.x, h - 1, h - 5));
      row.key = key;
    }
  }
}

function write(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
}

/** Return the signs of the drawing, by name, each a small picture that explains it. */
export function signs() {
  const sign = (...inside) => make("svg", { class: "arm-row", width: 18, height: 16, "aria-hidden": "true" }, ...inside);
  return {
    truth: sign(make("line", { class: "truth", x1: 9, x2: 9, y1: 1, y2: 15 })),
    mean: sign(make("circle", { class: "estimate", cx: 9, cy: 8, r: 5 })),
    assumed: sign(make("circle", { class: "estimate prior", cx: 9, cy: 8, r: 5 })),
    bonus: sign(make("line", { class: "interval", x1: 1, x2: 17, y1: 8, y2: 8 })),
    index: sign(make("path", { class: "end", d: "M9 1v14" })),
    draw: sign(make("path", { class: "draw", d: "M9 2l5 6l-5 6l-5 -6z" })),
    posterior: sign(make("path", { class: "density", d: densityPath(7, 7, (value) => 18 * value, 15, 13) })),
  };
}

/**
 * The common axis of the arms of some plays: its ends at each pull have room for the true means and for every mean and
 * score from there on, so that it narrows a few times as scores come down, and never widens. An infinite score is beyond.
 */
export class Axis {
  constructor(plays, means) {
    const length = Math.max(...plays.map((play) => play.length));
    this.low = new Float64Array(length).fill(Math.min(0, ...means));
    this.high = new Float64Array(length).fill(Math.max(plays.some((play) => play.unit) ? 1 : 0, ...means));
    for (let at = length - 1; at >= 0; at -= 1) {
      if (at < length - 1) [this.low[at], this.high[at]] = [this.low[at + 1], this.high[at + 1]];
      for (const play of plays.filter((one) => at < one.length)) {
        for (const values of [play.scoresAt(at), play.meansAt(at)]) {
          for (const value of values) {
            if (value < this.low[at] && value !== -Infinity) this.low[at] = value;
            if (value > this.high[at] && value !== Infinity) this.high[at] = value;
          }
        }
      }
    }
  }

  /** Return the ends before pull n (from 1), rounded away from 0. */
  at(n) {
    const place = Math.max(0, n - 1), low = -rounded(-this.low[place]), high = rounded(this.high[place]);
    return [low, high > low ? high : low + 1];
  }
}

function rounded(value) {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((end) => end >= value * 0.999999);
}

/** Return the outline of the density of Beta(alpha, beta), as high as there is room for, on a base line. */
export function densityPath(alpha, beta, x, base, height) {
  const mean = alpha / (alpha + beta), spread = Math.sqrt((mean * (1 - mean)) / (alpha + beta + 1));
  const low = Math.max(0.001, mean - 5 * spread), high = Math.min(0.999, mean + 5 * spread);
  const at = Array.from({ length: POINTS + 1 }, (_, i) => low + ((high - low) * i) / POINTS);
  const logs = at.map((value) => (alpha - 1) * Math.log(value) + (beta - 1) * Math.log1p(-value)), top = Math.max(...logs);
  const points = at.map((value, i) => `${x(value).toFixed(1)} ${(base - height * Math.exp(logs[i] - top)).toFixed(1)}`);
  return `M${x(low).toFixed(1)} ${base}L${points.join("L")}L${x(high).toFixed(1)} ${base}Z`;
}
