// Shows one agent, and asks for it again every two seconds while somebody looks at the page.
"use strict";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "10 4", "4 4", "1 2"];
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 480, HEIGHT = 240, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 34;
const by = (id) => document.getElementById(id);

async function ask(path) {
  const token = sessionStorage.getItem("token");
  const answer = await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  const content = await answer.json();
  by("door").hidden = answer.status !== 401;
  if (!answer.ok) throw new Error(content.detail);
  return content;
}

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function short(value) {
  const notation = Math.abs(value) >= 1e5 ? "compact" : "standard";
  return value.toLocaleString("en", { maximumSignificantDigits: 3, notation });
}

// Draws lines of y against x in [0, right]; `label` is what a reader of the screen says of them.
function draw(place, right, lines, low, top, label, unit) {
  const span = top - low || 1;
  const across = (value) => LEFT + (value / (right || 1)) * (WIDTH - LEFT - RIGHT);
  const up = (value) => HEIGHT - BOTTOM - ((value - low) / span) * (HEIGHT - TOP - BOTTOM);
  const picture = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  for (const part of [0, 0.5, 1]) {
    const y = up(low + part * span);
    picture.append(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "axis" }));
    picture.append(element("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, unit(low + part * span)));
    const at = { x: across(part * right), y: HEIGHT - BOTTOM + 16, "text-anchor": ["start", "middle", "end"][2 * part] };
    picture.append(element("text", at, short(Math.round(part * right))));
  }
  const under = { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 3, "text-anchor": "middle" };
  picture.append(element("text", under, "choices"));
  lines.forEach(({ x, y }, at) => {
    const points = y.map((value, i) => `${across(x[i]).toFixed(1)},${up(value).toFixed(1)}`);
    const look = { stroke: COLOURS[at], "stroke-dasharray": DASHES[at] };
    if (points.length) picture.append(element("path", { d: `M${points.join("L")}`, ...look }));
  });
  place.replaceChildren(picture);
}

function row_of(arm) {
  const row = document.createElement("tr");
  const cells = [
    arm.arm + (arm.retired ? " (retired)" : ""),
    arm.pulls.toLocaleString("en"),
    arm.pending.toLocaleString("en"),
    arm.mean === null ? "-" : arm.mean.toFixed(4),
    arm.best === null ? "-" : `${(100 * arm.best).toFixed(1)} %`,
    arm.loss === null ? "-" : arm.loss.toFixed(5),
  ];
  if (arm.mean_low !== null) cells[3] += ` (${arm.mean_low.toFixed(4)} to ${arm.mean_high.toFixed(4)})`;
  cells.forEach((text, at) => {
    const cell = document.createElement(at === 0 ? "th" : "td");
    if (at === 0) cell.scope = "row";
    cell.textContent = text;
    row.append(cell);
  });
  row.className = arm.retired ? "retired" : "";
  return row;
}

function show(agent) {
  by("what").textContent = `${agent.policy}: ${agent.formula}; ${agent.choices.toLocaleString("en")} choices`;
  by("arms").replaceChildren(...agent.arms.map(row_of));
  const order = agent.arms.map((_, at) => at).sort((a, b) => agent.arms[b].pulls - agent.arms[a].pulls);
  const shown = order.slice(0, COLOURS.length);
  const middles = agent.shares.map((_, bin) => (agent.edges[bin] + agent.edges[bin + 1]) / 2);
  const lines = shown.map((arm) => ({ x: middles, y: agent.shares.map((bin) => bin[arm]) }));
  const right = agent.edges[agent.edges.length - 1];
  draw(by("shares"), right, lines, 0, 1, "Shares of the arms over the choices", (value) => `${100 * value} %`);
  by("legend").replaceChildren(...shown.map((arm, at) => {
    const item = document.createElement("li"), line = element("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" });
    line.append(element("path", { d: "M0,5L32,5", stroke: COLOURS[at], "stroke-dasharray": DASHES[at] }));
    item.append(line, ` ${agent.arms[arm].arm}`);
    return item;
  }));
  const low = Math.min(0, ...agent.earned), top = Math.max(low + 1, ...agent.earned);
  const earned = [{ x: agent.edges, y: agent.earned }];
  draw(by("earned"), right, earned, low, top, "Cumulative reward over the choices", short);
  by("shown").hidden = false;
}

async function refresh() {
  try {
    const names = await ask("/agents"), chosen = by("agent");
    const before = chosen.value || decodeURIComponent(location.hash.slice(1));
    if (names.join("\n") !== [...chosen.options].map((option) => option.value).join("\n")) {
      chosen.replaceChildren(...names.map((name) => new Option(name, name)));
      if (names.includes(before)) chosen.value = before;
    }
    by("said").textContent = names.length ? "" : "There is no agent yet.";
    if (names.length) show(await ask(`/agents/${encodeURIComponent(chosen.value)}/course`));
  } catch (error) {
    by("said").textContent = error.message;
  }
}

by("agent").addEventListener("change", () => {
  location.hash = encodeURIComponent(by("agent").value);
  refresh();
});
by("door").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", by("token").value);
  refresh();
});
setInterval(() => { if (!document.hidden) refresh(); }, 2000);
refresh();
