// What the page shows, as a state and as a link: everything that is not as at the beginning stands behind the address's #.

const LARGEST = 64;

export const initial = () => ({
  tab: "play",
  position: { moves: "", width: 7, height: 6, connect: 4 },
  players: [{ name: "human" }, { name: "uct", simulations: 1000 }], // of the first stones (X) and the second (O)
  seed: 0,
  compare: { rules: [{ name: "ucb" }, { name: "thompson" }], simulations: 2000, seed: 0, exact: true },
  replay: { run: "", game: 0, ply: null },
  bandit: { means: "0.3, 0.5, 0.7", rules: [{ name: "ucb" }, { name: "thompson" }], horizon: 500, seed: 0 },
});

export const TABS = ["play", "compare", "replay", "bandit"];

// A choice such as {name: "uct", c: 0.5, policy: {name: "puct", c: 2}} is written x=uct x.c=0.5 x.policy=puct x.policy.c=2.
function writeChoice(words, key, choice) {
  words.set(key, choice.name);
  for (const [name, value] of Object.entries(choice)) {
    if (name === "name") continue;
    const inner = value !== null && typeof value === "object" && !Array.isArray(value);
    if (inner && "name" in value) writeChoice(words, `${key}.${name}`, value);
    else words.set(`${key}.${name}`, typeof value === "string" ? value : JSON.stringify(value));
  }
}

function readChoice(words, key) {
  const choice = { name: words.get(key) };
  for (const word of new Set(words.keys())) {
    if (!word.startsWith(`${key}.`)) continue;
    const [name, inner] = word.slice(key.length + 1).split(".");
    if (inner) continue;
    const nested = [...words.keys()].some((other) => other.startsWith(`${word}.`));
    choice[name] = nested ? readChoice(words, word) : typed(words.get(word));
  }
  return choice;
}

// The value that a text stands for: a number, true, false, null, a list or an object; else the text itself.
export function typed(text) {
  const bare = text.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare)) return Number(bare);
  if (/^(true|false|null|[[{].*)$/s.test(bare)) {
    try { return JSON.parse(bare); } catch { return bare; }
  }
  return bare;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Returns the state as text that begins with "#".
export function write(state) {
  const begin = initial(), words = new URLSearchParams();
  const { position, compare, replay, bandit } = state;
  if (position.moves) words.set("moves", position.moves);
  if (position.width !== 7 || position.height !== 6) words.set("board", `${position.width}x${position.height}`);
  if (position.connect !== 4) words.set("connect", position.connect);
  for (const [side, key] of ["x", "o"].entries()) {
    if (!same(state.players[side], begin.players[side])) writeChoice(words, key, state.players[side]);
  }
  if (state.seed !== 0) words.set("seed", state.seed);
  writeRules(words, "rule", compare.rules, begin.compare.rules);
  if (compare.simulations !== begin.compare.simulations) words.set("simulations", compare.simulations);
  if (compare.seed !== 0) words.set("search_seed", compare.seed);
  if (!compare.exact) words.set("exact", "false");
  if (replay.run) {
    words.set("run", replay.run);
    words.set("game", replay.game);
    if (replay.ply !== null) words.set("ply", replay.ply);
  }
  if (bandit.means !== begin.bandit.means) words.set("means", bandit.means.replaceAll(" ", ""));
  writeRules(words, "bandit", bandit.rules, begin.bandit.rules);
  if (bandit.horizon !== begin.bandit.horizon) words.set("horizon", bandit.horizon);
  if (bandit.seed !== 0) words.set("bandit_seed", bandit.seed);
  const rest = words.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${state.tab}${rest ? `&${rest}` : ""}`;
}

function writeRules(words, key, rules, begin) {
  if (same(rules, begin)) return;
  writeChoice(words, key, rules[0]);
  if (rules[1]) writeChoice(words, `${key}2`, rules[1]);
  else words.set(`${key}2`, "none");
}

function readRules(words, key, begin) {
  const rules = [...begin];
  if (words.get(key)) rules[0] = readChoice(words, key);
  if (words.get(`${key}2`) === "none") rules.length = 1;
  else if (words.get(`${key}2`)) rules[1] = readChoice(words, `${key}2`);
  return rules;
}

// Returns the state that a link holds. What cannot be read is as at the beginning; the server judges the rest.
export function read(hash) {
  const state = initial(), [tab, ...rest] = hash.replace(/^#/, "").split("&");
  const words = new URLSearchParams(rest.join("&"));
  const whole = (key, low, high, otherwise) => {
    const value = Number(words.get(key) ?? NaN);
    return Number.isInteger(value) && value >= low && value <= high ? value : otherwise;
  };
  if (TABS.includes(tab)) state.tab = tab;
  const size = /^(\d+)x(\d+)$/.exec(words.get("board") ?? "")?.slice(1).map(Number) ?? [];
  if (size.length === 2 && size.every((side) => side >= 1 && side <= LARGEST)) {
    [state.position.width, state.position.height] = size;
  }
  state.position.connect = whole("connect", 1, LARGEST, 4);
  state.position.moves = words.get("moves") ?? "";
  for (const [side, key] of ["x", "o"].entries()) if (words.get(key)) state.players[side] = readChoice(words, key);
  state.seed = whole("seed", 0, Number.MAX_SAFE_INTEGER, 0);
  const { compare, replay, bandit } = state;
  compare.rules = readRules(words, "rule", compare.rules);
  compare.simulations = whole("simulations", 1, 1e9, compare.simulations);
  compare.seed = whole("search_seed", 0, Number.MAX_SAFE_INTEGER, 0);
  compare.exact = words.get("exact") !== "false";
  replay.run = words.get("run") ?? "";
  replay.game = whole("game", 0, 1e9, 0);
  replay.ply = whole("ply", 0, LARGEST * LARGEST, null);
  bandit.means = words.get("means") ?? bandit.means;
  bandit.rules = readRules(words, "bandit", bandit.rules);
  bandit.horizon = whole("horizon", 1, 1e9, bandit.horizon);
  bandit.seed = whole("bandit_seed", 0, Number.MAX_SAFE_INTEGER, 0);
  return state;
}
