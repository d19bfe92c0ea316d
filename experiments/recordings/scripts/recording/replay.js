// A recorded search, replayed: the visits and means of every node after any number of simulations.
//
// The numbers follow mcts/kernels/tree.py (`_back_up`) to the last bit: a node's value is the mean result for the side
// that moved into it, so that the result changes sides at every step of a path.

/** Read base64 of little-endian numbers of the given array type. */
export function decoded(text, Type) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT);
}

/**
 * A tree of visited nodes as arrays: node 0 is the root, and a parent comes before its children.
 *
 * Of node i, `move[i]` leads to it from `parent[i]`, `depth[i]` moves below the root; `visits[i]` and `values[i]` are
 * those of the moment. `game` is what positions.js knows of the root. `size` is how many nodes have been
 * visited by now: the others wait behind.
 */
class Nodes {
  constructor(parents, moves, game) {
    this.game = game;
    this.parent = Int32Array.from(parents);
    this.move = Int32Array.from(moves);
    this.size = this.parent.length;
    this.visits = new Float64Array(this.size);
    this.values = new Float64Array(this.size);
    this.depth = new Int16Array(this.size);
    this.below = Array.from({ length: this.size }, () => []);
    for (let node = 1; node < this.size; node += 1) {
      this.depth[node] = this.depth[this.parent[node]] + 1;
      this.below[this.parent[node]].push(node);
    }
    for (const children of this.below) children.sort((a, b) => this.move[a] - this.move[b]);
  }

  /** Return the children of a node that have been visited by now, by increasing move. */
  children(node) {
    return this.below[node].filter((child) => child < this.size);
  }

  /** Return the moves from the root to a node. */
  movesTo(node) {
    const moves = [];
    for (let at = node; at > 0; at = this.parent[at]) moves.unshift(this.move[at]);
    return moves;
  }

  /** Return the legal moves at a node. */
  legal(node) {
    return this.game.legal(this.movesTo(node));
  }

  /** Return the nodes on the way along some moves, the root first; they end where there is none. */
  nodesAt(moves) {
    const nodes = [0];
    for (const move of moves) {
      const next = this.below[nodes.at(-1)].find((child) => this.move[child] === move);
      if (next === undefined) break;
      nodes.push(next);
    }
    return nodes;
  }

  /** Return the visits and means of the root's moves, in the order of `moves`; a mean before a visit is NaN. */
  atRoot(moves) {
    const visits = new Float64Array(moves.length), means = new Float64Array(moves.length).fill(NaN);
    for (const child of this.children(0)) {
      const place = moves.indexOf(this.move[child]);
      visits[place] = this.visits[child];
      if (visits[place] > 0) means[place] = this.values[child];
    }
    return { visits, means };
  }
}

/**
 * A recorded search at one of its simulations.
 *
 * `n` simulations have run. `root` has the visits, means and scores of the root's moves after them, where the scores
 * are those by which simulation n chose, and `before` the visits and means that it chose by. `path` holds the nodes of
 * simulation n from the root on, `result` what it gave the side to move at the root, `isNew` whether it added its last
 * node to the tree. Before the first simulation, path is empty and result null. `finalVisits` are those of the end. The
 * nodes' arrays are those of `Nodes`.
 */
export class Replay extends Nodes {
  constructor(search, game) {
    const Type = game?.isLong ? Uint16Array : Uint8Array;
    const { parents, moves, paths, starts } = grown(decoded(search.lengths, Type), decoded(search.path, Type));
    super(parents, moves, game);
    this.search = search;
    game?.grow(this, decoded);
    this.moves = search.moves;
    this.simulations = starts.length - 1;
    this.paths = paths; // nodes of all simulations, the root left out; those of simulation i from starts[i - 1] on
    this.starts = starts;
    this.results = decoded(search.results, Float32Array);
    this.scores = decoded(search.scores, Float32Array);
    this.seek(this.simulations);
    this.finalVisits = this.visits.slice();
    this.seek(0);
  }

  /** Go to the moment after n simulations: forwards one by one, backwards from the beginning again. */
  seek(n) {
    const goal = Math.max(0, Math.min(this.simulations, Math.round(n)));
    if (goal === this.n) return;
    if (this.n === undefined || goal < this.n) this.#reset();
    while (this.n < goal - 1) this.#run();
    this.before = this.atRoot(this.moves);
    if (this.n < goal) this.#run();
    this.#look();
  }

  /** Return the visits and means of each root move after 0, 1, ... simulations: for each move one array of S + 1. */
  history() {
    const { n, simulations, moves } = this, empty = () => moves.map(() => new Float32Array(simulations + 1));
    const visits = empty(), means = empty();
    const nodes = moves.map((move) => this.below[0].find((node) => this.move[node] === move) ?? -1);
    this.#reset();
    for (let at = 0; at <= simulations; at += 1) {
      if (at > 0) this.#run();
      for (const [place, node] of nodes.entries()) {
        visits[place][at] = node < 0 ? 0 : this.visits[node];
        means[place][at] = visits[place][at] > 0 ? this.values[node] : NaN;
      }
    }
    this.seek(n);
    return { visits, means };
  }

  #reset() {
    this.n = 0;
    this.size = 1;
    this.visits.fill(0);
    this.values.fill(this.search.initial);
    this.values[0] = 0.5; // a root has no rule above it
    this.isNew = false;
  }

  #run() {
    const { prior_pulls: prior, step_size: step } = this.search;
    const first = this.starts[this.n], end = this.starts[this.n + 1];
    let result = this.results[this.n];
    if ((end - first) % 2 === 0) result = 1 - result; // for the side that moved into the last node
    this.n += 1;
    this.isNew = end > first && this.paths[end - 1] === this.size;
    if (this.isNew) this.size += 1;
    for (let place = end - 1; place >= first - 1; place -= 1) {
      const node = place < first ? 0 : this.paths[place];
      const visits = this.visits[node] + 1, rate = step > 0 ? step : 1 / (visits + prior);
      this.values[node] += (result - this.values[node]) * rate;
      this.visits[node] = visits;
      result = 1 - result;
    }
  }

  #look() {
    const last = this.n - 1, count = this.moves.length;
    const scores = last < 0 ? new Float32Array(count).fill(NaN) : this.scores.subarray(last * count, this.n * count);
    this.root = { ...this.atRoot(this.moves), scores };
    this.path = last < 0 ? [] : [0, ...this.paths.subarray(this.starts[last], this.starts[this.n])];
    this.result = last < 0 ? null : this.results[last];
  }
}

/** Number the nodes in the order of their first visits: a simulation adds at most one. */
function grown(lengths, path) {
  const parents = [-1], moves = [-1], known = new Map();
  const paths = new Int32Array(path.length), starts = new Int32Array(lengths.length + 1);
  let place = 0;
  for (let i = 0; i < lengths.length; i += 1) {
    let node = 0;
    for (const end = place + lengths[i]; place < end; place += 1) {
      const key = node * 65536 + path[place];
      if (!known.has(key)) {
        known.set(key, parents.length);
        parents.push(node);
        moves.push(path[place]);
      }
      node = known.get(key);
      paths[place] = node;
    }
    starts[i + 1] = place;
  }
  return { parents, moves, paths, starts };
}

/** The end of a search, known without its history: the nodes that are kept, and the last scores. */
export class Ended extends Nodes {
  constructor(search, game) {
    super(search.tree.parent, search.tree.move, game);
    this.search = search;
    this.moves = search.moves;
    this.visits.set(search.tree.visits);
    this.values.set(search.tree.value);
    this.simulations = this.n = search.simulations;
    this.root = { ...this.atRoot(this.moves), scores: Float64Array.from(search.scores, (score) => score ?? NaN) };
    this.before = this.root;
    this.path = [];
    this.result = null;
    this.isNew = false;
  }

  seek() {}
}
