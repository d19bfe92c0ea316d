// What the page shows, as a state and as a link: everything that is not as at the beginning stands behind the address's #.

const LARGEST = 64;

export const initial = () => ({
  tab: "play",
  position: { moves: "", width: 7, height: 6, connect: 4 },
  players: [{ name: "human" }, { name: "uct", simulations: 1000 }], // of the first stones (X) and the second (O)
  seed: 0,
  compare: { rules: [{ name: "ucb" }, { name: "thompson" }], simulations: 2000, seed: 0, exact: true, own: false, line: "" },
  replay: { run: "", game: 0, ply: null },
  bandit: { means: "0.3, 0.5, 0.7", rules: [{ name: "ucb" }, { name: "thompson" }], horizon: 500, seed: 0, jump: null, later: "" },
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

const isOf = (key) => (word) => word === key || word.startsWith(`${key}.`);

// Without a name among the words it is that of `base`, with its parameters where the words have no others.
function readChoice(words, key, base) {
  const choice = words.has(key) ? { name: words.get(key) } : { ...base }, all = [...words.keys()];
  for (const word of all.filter((one) => one.startsWith(`${key}.`))) {
    const [name] = word.slice(key.length + 1).split("."), whole = `${key}.${name}`;
    const isNested = all.some((other) => other.startsWith(`${whole}.`));
    choice[name] = isNested ? readChoice(words, whole, {}) : typed(words.get(word));
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
  if (compare.own) words.set("own", "true"); // the game that the server was started with
  if (compare.line) words.set("line", compare.line);
  if (replay.run) {
    words.set("run", replay.run);
    words.set("game", replay.game);
    if (replay.ply !== null) words.set("ply", replay.ply);
  }
  if (bandit.means !== begin.bandit.means) words.set("means", bandit.means.replaceAll(" ", ""));
  writeRules(words, "bandit", bandit.rules, begin.bandit.rules);
  if (bandit.horizon !== begin.bandit.horizon) words.set("horizon", bandit.horizon);
  if (bandit.seed !== 0) words.set("bandit_seed", bandit.seed);
  if (bandit.jump !== null) words.set("jump", bandit.jump);
  if (bandit.later.trim()) words.set("later", bandit.later.replaceAll(" ", ""));
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
  const given = (one) => [...words.keys()].some(isOf(one)), second = `${key}2`, rules = [...begin];
  if (given(key)) rules[0] = readChoice(words, key, begin[0]);
  if (words.get(second) === "none") rules.length = 1;
  else if (given(second)) rules[1] = readChoice(words, second, begin[1]);
  return rules;
}

const CHOICES = ["x", "o", "rule", "rule2", "bandit", "bandit2"];
const KEYS = ["moves", "board", "connect", "seed", "simulations", "search_seed", "exact", "own", "line", "run", "game", "ply", "means", "horizon", "bandit_seed", "jump", "later"];

// Returns the state that a link holds, and in `faults` a sentence for each part of it that means nothing. A number or a
// parameter that has a field is kept as it is: the field says what is wrong with it.
export function read(hash) {
  const state = initial(), faults = [], [tab, ...rest] = hash.replace(/^#/, "").split("&");
  const words = new URLSearchParams(rest.join("&"));
  const refuse = (sentence, otherwise) => {
    faults.push(`${sentence}; ${otherwise} stands in its place.`);
    return otherwise;
  };
  const whole = (key, low, high, otherwise) => {
    const value = words.has(key) ? typed(words.get(key)) : otherwise;
    if (Number.isInteger(value) && value >= low && value <= high) return value;
    return refuse(`${key} must be a whole number from ${low} to ${high}; got ${JSON.stringify(words.get(key))}`, otherwise);
  };
  const given = (key, otherwise) => (words.has(key) ? typed(words.get(key)) : otherwise);
  const strange = [...new Set(words.keys())].filter((word) => !KEYS.includes(word) && !CHOICES.some((key) => isOf(key)(word)));
  if (strange.length) faults.push(`There is no ${strange.map((word) => JSON.stringify(word)).join(" and no ")} in a link; it may have ${[...KEYS, ...CHOICES].join(", ")}.`);
  if (TABS.includes(tab)) state.tab = tab;
  else if (tab) refuse(`There is no tab ${JSON.stringify(tab)} here`, state.tab);
  const { position, compare, replay, bandit } = state, board = words.get("board");
  const size = /^(\d{1,6})x(\d{1,6})$/.exec(board ?? "7x6")?.slice(1).map(Number) ?? [];
  if (size.length === 2 && size.every((side) => side >= 1 && side <= LARGEST)) [position.width, position.height] = size;
  else refuse(`board must be columns x rows, such as 7x6, each from 1 to ${LARGEST}; got ${JSON.stringify(board)}`, "7x6");
  position.connect = whole("connect", 2, LARGEST, 4);
  position.moves = words.get("moves") ?? "";
  for (const [side, key] of ["x", "o"].entries()) {
    if ([...words.keys()].some(isOf(key))) state.players[side] = readChoice(words, key, state.players[side]);
  }
  state.seed = whole("seed", 0, Number.MAX_SAFE_INTEGER, 0);
  compare.rules = readRules(words, "rule", compare.rules);
  compare.simulations = given("simulations", compare.simulations);
  compare.seed = given("search_seed", 0);
  const either = (key, otherwise) => {
    const text = words.get(key) ?? String(otherwise);
    return ["true", "false"].includes(text) ? text === "true" : refuse(`${key} must be true or false; got ${JSON.stringify(text)}`, otherwise);
  };
  compare.exact = either("exact", true);
  compare.own = either("own", false);
  compare.line = words.get("line") ?? "";
  replay.run = words.get("run") ?? "";
  replay.game = given("game", 0);
  replay.ply = given("ply", null);
  bandit.means = words.get("means") ?? bandit.means;
  bandit.rules = readRules(words, "bandit", bandit.rules);
  bandit.horizon = given("horizon", bandit.horizon);
  bandit.seed = given("bandit_seed", 0);
  bandit.jump = given("jump", null);
  bandit.later = words.get("later") ?? "";
  return Object.assign(state, { faults });
}
