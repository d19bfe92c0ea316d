// Lines against simulations or pulls: what is past in full colour, what is to come pale, and a cursor between them.

import { lineColour, make, number, onWidth, unique } from "lab/shared/svg";

const FONT = 12, ROW = 14, TOP = 10, BOTTOM = 34; // pixels: letters, labels one below the other, room round the axes
const DASHES = ["", "7 2", "7 2 2 2", "2 2"]; // so that lines are told apart without colour

/**
 * A plot of a few lines.
 *
 * Options: `title` (what is drawn, for those who do not see it), `xLabel`, `yLabel`, `series` (each `{label, values}`,
 * and if need be `said` (a longer label, to be heard), `colour` and `dash`; values[i] stands at x = first + i, NaN is
 * not drawn), `first` (0), `low` and `high` of the y axis (else from the values), `log` (x axis), `height` (pixels),
 * `most` (lines that are named, 24), `format` (of a value, to text), `like` (a number as text, for which there is room
 * on both sides, so that plots below one another line up), `marks` (the x of upright lines), `onSeek(x)` (the reader
 * points at x).
 */
export class LinePlot {
  constructor(element, options) {
    this.options = { first: 0, height: 220, most: 24, log: false, marks: [], xLabel: "", yLabel: "", format: (v) => number(v, 4), like: "", ...options };
    this.series = this.options.series;
    this.place = null;
    this.clip = unique("past");
    this.svg = make("svg", { class: "plot", role: "img" });
    element.append(this.svg);
    this.unwatch = onWidth(element, (width) => this.#draw(width));
    if (this.options.onSeek) this.#listen();
  }

  /** Move the cursor to x; without one everything counts as past. */
  update(x = null) {
    this.place = x;
    if (this.scale) this.#move();
  }

  /** Draw other lines, or the same ones that have grown. */
  setSeries(series) {
    this.series = series;
    if (this.width) this.#draw(this.width);
  }

  /** Draw the x axis in logarithms or not. */
  setLog(log) {
    this.options.log = log;
    if (this.width) this.#draw(this.width);
  }

  destroy() {
    this.unwatch();
    this.svg.remove();
  }

  #draw(width) {
    const { first, log, xLabel, yLabel, format } = this.options;
    this.width = width;
    const height = Math.max(this.options.height, TOP + BOTTOM + ROW * Math.min(this.series.length, this.options.most));
    const longest = Math.max(1, ...this.series.map((one) => one.values.length));
    const [low, high] = this.#range();
    const yTicks = ticks(low, high, Math.max(2, Math.floor((height - TOP - BOTTOM) / 36)));
    const write = (value) => number(value, 6);
    const left = 8 + Math.max(22, measured(this.options.like), ...yTicks.map((value) => measured(write(value)))) + (yLabel ? 16 : 0);
    const values = [measured(this.options.like), ...this.series.map((one) => widest(one.values, format))];
    const room = Math.max(32, ...values) + 8; // the least, so that axes one below the other end alike
    this.labels = shortened(this.series.map((one) => one.label), Math.max(24, (width < 420 ? 0.3 : 0.36) * width - room));
    const right = 18 + Math.max(...this.labels.map((label) => measured(label, true))) + room;
    const scale = (this.scale = scales({
      x: [log ? Math.max(1, first) : first, Math.max(first + longest - 1, first + 1)], log, y: [low, high],
      box: [left, TOP, Math.max(left + 60, width - right), height - BOTTOM],
    }));
    const [x0, y0, x1, y1] = scale.box;
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    const axes = make("g", { class: "axes" });
    for (const value of yTicks) {
      const y = Math.round(scale.y(value)) + 0.5;
      axes.append(make("line", { class: "grid", x1: x0, x2: x1, y1: y, y2: y }));
      axes.append(make("text", { x: x0 - 6, y: y + 4, "text-anchor": "end" }, write(value)));
    }
    for (const value of xTicks(scale, (text) => measured(text))) {
      const x = Math.round(scale.x(value)) + 0.5;
      axes.append(make("line", { class: "tick", x1: x, x2: x, y1, y2: y1 + 4 }));
      axes.append(make("text", { x, y: y1 + 17, "text-anchor": "middle" }, number(value)));
    }
    for (const value of this.options.marks) {
      const x = Math.round(scale.x(value)) + 0.5;
      axes.append(make("line", { class: "mark", x1: x, x2: x, y1: y0, y2: y1 }));
    }
    axes.append(make("line", { class: "axis", x1: x0, x2: x1, y1: y1 + 0.5, y2: y1 + 0.5 }));
    axes.append(make("text", { class: "name", x: (x0 + x1) / 2, y: height - 3, "text-anchor": "middle" }, xLabel));
    const turned = `translate(11 ${(y0 + y1) / 2}) rotate(-90)`;
    if (yLabel) axes.append(make("text", { class: "name", transform: turned, "text-anchor": "middle" }, yLabel));
    const all = unique("lines"), lines = make("g", { id: all, class: "lines" });
    for (const [i, one] of this.series.entries()) lines.append(this.#line(one, i));
    this.past = make("rect", { x: 0, y: 0, width, height });
    this.cursor = make("line", { class: "cursor", y1: y0 - 4, y2: y1 });
    this.dots = this.series.map((one, i) => make("circle", { r: 3, style: `fill:${this.#colour(one, i)}` }));
    this.svg.replaceChildren(
      make("defs", {}, make("clipPath", { id: this.clip }, this.past)), axes,
      make("g", { class: "future" }, lines), make("use", { href: `#${all}`, "clip-path": `url(#${this.clip})` }),
      this.cursor, ...this.dots, this.#names(),
    );
    this.#move();
  }

  #range() {
    let low = Infinity, high = -Infinity;
    for (const { values } of this.series) {
      for (const value of values) {
        if (value < low) low = value; // false for NaN
        if (value > high && value !== Infinity) high = value;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    low = this.options.low ?? low;
    high = this.options.high ?? high;
    return high > low ? [low, high] : [low, low + 1];
  }

  #colour(one, i) {
    return one.colour ?? lineColour(i);
  }

  #line(one, i) {
    const dash = one.dash ?? DASHES[Math.floor(i / 10) % DASHES.length];
    const d = thinned(one.values, this.options.first, this.scale);
    return make("path", { d, fill: "none", style: `stroke:${this.#colour(one, i)}`, "stroke-dasharray": dash || null });
  }

  // The labels and values of the lines that are named, which `#place` puts beside the cursor.
  #names() {
    const group = make("g", { class: "names" }), { most } = this.options;
    const last = this.series.map((one) => lastOf(one.values)), order = last.map((_, i) => i);
    this.named = order.sort((a, b) => (last[b] || 0) - (last[a] || 0)).slice(0, most);
    this.wide = Math.max(...this.labels.map((label) => measured(label, true)));
    this.now = this.series.map(() => null);
    for (const i of this.named) {
      const leader = make("path", { class: "leader", style: `stroke:${this.#colour(this.series[i], i)}` });
      const label = make("text", { class: "label" }, this.labels[i]), value = make("text", { class: "value" });
      group.append(leader, label, value);
      this.now[i] = { leader, label, value };
    }
    return group;
  }

  // Each label as near to its line at the cursor as the others let it.
  #place(px, at) {
    const { box, y: toY } = this.scale;
    const wanted = this.named.map((i) => toY(at(this.series[i]))), places = apart(wanted, ROW, box[1], box[3]);
    for (const [place, i] of this.named.entries()) {
      const { leader, label, value } = this.now[i], y = places[place], from = Number.isFinite(wanted[place]) ? wanted[place] : y;
      leader.setAttribute("d", `M${px + 1} ${from}L${px + 12} ${y}`);
      for (const [text, x] of [[label, px + 15], [value, px + 15 + this.wide + 7]]) {
        text.setAttribute("x", x);
        text.setAttribute("y", y + 4);
      }
    }
  }

  #move() {
    const { first, format, title, xLabel } = this.options, { x, y, box } = this.scale;
    const last = first + Math.max(1, ...this.series.map((one) => one.values.length)) - 1;
    const at = Math.min(this.place ?? last, last), px = this.place === null ? box[2] : x(at);
    this.past.setAttribute("width", Math.max(0, px));
    this.cursor.setAttribute("x1", px);
    this.cursor.setAttribute("x2", px);
    this.cursor.classList.toggle("hidden", this.place === null);
    const said = [];
    for (const [i, one] of this.series.entries()) {
      const value = at >= first ? one.values[at - first] : NaN, drawn = Number.isFinite(value);
      this.dots[i].classList.toggle("hidden", !drawn || this.place === null);
      if (drawn) {
        this.dots[i].setAttribute("cx", px);
        this.dots[i].setAttribute("cy", y(value));
      }
      const text = drawn ? format(value) : "–";
      if (this.now[i]) this.now[i].value.textContent = text;
      said.push(`${one.said ?? one.label}: ${text}`);
    }
    this.#place(px, (one) => (this.place === null ? lastOf(one.values) : at >= first ? one.values[at - first] : NaN));
    this.svg.setAttribute("aria-label", `${title}. At ${number(at)} ${xLabel}: ${said.join(", ")}.`);
  }

  #listen() {
    const seek = (event) => {
      const within = event.clientX - this.svg.getBoundingClientRect().left;
      this.options.onSeek(Math.round(this.scale.back(within)));
    };
    this.svg.classList.add("seeks");
    this.svg.addEventListener("pointerdown", (event) => {
      const within = event.clientX - this.svg.getBoundingClientRect().left;
      if (event.button !== 0 || within > this.scale.box[2] + 4) return;
      this.svg.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (this.svg.hasPointerCapture(event.pointerId)) seek(event);
    });
  }
}

/** Return functions from x and y to pixels in a box [left, top, right, bottom], and from pixels back to x. */
function scales({ x: [a, b], y: [low, high], box, log }) {
  const [left, top, right, bottom] = box;
  const to = log ? (x) => Math.log(Math.max(x, a)) : (x) => x, from = log ? Math.exp : (x) => x;
  const span = to(b) - to(a) || 1;
  return {
    box, log, ends: [a, b],
    x: (x) => left + ((to(x) - to(a)) / span) * (right - left),
    y: (y) => bottom - ((y - low) / (high - low)) * (bottom - top),
    back: (px) => Math.min(b, Math.max(a, from(to(a) + ((px - left) / (right - left)) * span))),
  };
}

/** Return round values between low and high, about `count` steps. */
export function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw));
  const factors = power >= 10 ? [1, 2, 2.5, 5, 10] : [1, 2, 5, 10];
  const step = factors.map((factor) => factor * power).find((one) => one >= raw * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

function xTicks(scale, wide) {
  const [a, b] = scale.ends, room = scale.box[2] - scale.box[0];
  if (!scale.log) {
    const most = Math.max(1, Math.floor(room / (wide(number(b)) + 28)));
    return ticks(a, b, most).filter(Number.isInteger);
  }
  const powers = [];
  for (let value = 1; value <= b; value *= 10) if (value >= a) powers.push(value);
  const step = Math.max(1, Math.ceil((powers.length * (wide(number(b)) + 16)) / room));
  return powers.filter((_, i) => i % step === 0);
}

/** Return the path of a line; of many values on one column of pixels it keeps the first, the extremes and the last. */
function thinned(values, first, { x, y, ends }) {
  let path = "", pen = "M", column = NaN, low = 0, high = 0, last = 0;
  const flush = () => {
    if (Number.isNaN(column)) return;
    if (low !== last || high !== last) path += `V${low.toFixed(1)}V${high.toFixed(1)}V${last.toFixed(1)}`;
    column = NaN;
  };
  for (let i = Math.max(0, Math.ceil(ends[0]) - first); i < values.length; i += 1) {
    if (!Number.isFinite(values[i])) {
      flush();
      pen = "M";
      continue;
    }
    const px = Math.round(2 * x(first + i)) / 2, py = y(values[i]);
    if (px !== column) {
      flush();
      path += `${pen}${px} ${py.toFixed(1)}`;
      [pen, column, low, high] = ["L", px, py, py];
    }
    low = Math.min(low, py);
    high = Math.max(high, py);
    last = py;
  }
  flush();
  return path;
}

/** Move heights apart until no two are closer than `gap`, each as little as it can; they stay between top and bottom. */
export function apart(wanted, gap, top, bottom) {
  const height = (i) => (Number.isFinite(wanted[i]) ? wanted[i] : bottom);
  const order = wanted.map((_, i) => i).sort((a, b) => height(a) - height(b) || a - b);
  const blocks = []; // of neighbours that touch: the middle of each block is where its members would be on average
  const edge = (block) => Math.min(Math.max(block.middle, top + block.half), Math.max(bottom - block.half, top + block.half));
  for (const i of order) {
    let last = { members: [i], middle: height(i), half: 0 };
    while (blocks.length && edge(last) - last.half < edge(blocks.at(-1)) + blocks.at(-1).half + gap) {
      const before = blocks.pop(), a = before.members.length, b = last.members.length;
      const middle = (a * before.middle + b * last.middle) / (a + b);
      last = { members: [...before.members, ...last.members], middle, half: ((a + b - 1) * gap) / 2 };
    }
    blocks.push(last);
  }
  const found = wanted.map(() => 0);
  for (const block of blocks) block.members.forEach((i, place) => (found[i] = edge(block) - block.half + place * gap));
  return found;
}

function lastOf(values) {
  let i = values.length - 1;
  while (i >= 0 && !Number.isFinite(values[i])) i -= 1;
  return i < 0 ? NaN : values[i];
}

function widest(values, format) {
  let low = 0, high = 0;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high && value !== Infinity) high = value;
  }
  return Math.max(measured(format(low)), measured(format(high)), measured(format(high * 0.777)));
}

let pen;
function measured(text, bold = false) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${bold ? 600 : 400} ${FONT}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
  return pen.measureText(text).width;
}

/** Return labels that fit: without the words that all begin with, or cut. */
function shortened(labels, room) {
  const fit = (all) => all.every((label) => measured(label, true) <= room), common = labels[0]?.lastIndexOf(" ") + 1;
  if (fit(labels)) return labels;
  const bare = labels.every((label) => label.startsWith(labels[0].slice(0, common))) ? labels.map((label) => label.slice(common)) : labels;
  return bare.map((label) => {
    let text = label;
    while (text.length > 1 && measured(text, true) > room) text = `${text.slice(0, -2)}…`;
    return text;
  });
}
