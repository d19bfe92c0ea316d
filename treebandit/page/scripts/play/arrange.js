// Finds an order of moves that leads to stones on a board, so that a position set up by hand is a game like any other.

const MOST = 200000; // positions looked at before the search for an order is given up

// stones: per column from the left, from the bottom up, 1 for X and -1 for O. Returns the columns in order, from 0.
// Throws an Error with one sentence where no game leads there.
export function arrange(stones, { width, height, connect }) {
  const heights = stones.map((column) => column.length);
  const count = (side) => stones.flat().filter((stone) => stone === side).length;
  const first = count(1), second = count(-1);
  if (first !== second && first !== second + 1) {
    throw new Error(`X begins, so X must have as many stones as O or one more; here X has ${first} and O ${second}.`);
  }
  const last = first > second ? 1 : -1;
  if (wins(stones, heights, -last, width, height, connect)) {
    throw new Error(`${last === 1 ? "O" : "X"} has ${connect} in a row, but the other side would have moved after that.`);
  }
  const over = wins(stones, heights, last, width, height, connect);
  const order = [], dead = new Set();
  // Stones are taken off in turn. Once a position has no row of `connect`, none before it has one.
  const takeOff = (side, left) => {
    if (left === 0) return true;
    const key = heights.join();
    if (dead.has(key)) return false;
    for (let column = 0; column < width; column++) {
      const top = heights[column] - 1;
      if (top < 0 || stones[column][top] !== side) continue;
      heights[column]--;
      if (!(over && left === first + second && wins(stones, heights, last, width, height, connect))) {
        order.push(column);
        if (takeOff(-side, left - 1)) return true;
        order.pop();
      }
      heights[column]++;
    }
    dead.add(key);
    if (dead.size > MOST) throw new Error("No order of moves that leads to these stones was found.");
    return false;
  };
  if (!takeOff(last, first + second)) throw new Error("No game leads to these stones with X and O taking turns.");
  return order.reverse();
}

function wins(stones, heights, side, width, height, connect) {
  const at = (column, row) => column >= 0 && column < width && row >= 0 && row < heights[column] && stones[column][row] === side;
  for (let column = 0; column < width; column++) {
    for (let row = 0; row < heights[column]; row++) {
      for (const [right, up] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
        let length = 0;
        while (length < connect && at(column + right * length, row + up * length)) length++;
        if (length === connect) return true;
      }
    }
  }
  return false;
}

// The stones of a drawing: lines of "." X O from the top, with or without bars and numbers below. Null: no drawing.
export function stonesOf(text) {
  const lines = text.split("\n").filter((line) => line.trim() && !/^[\d\s-]+$/.test(line.trim()));
  if (!lines.length || !/[.XO|]/i.test(text)) return null;
  const rows = lines.map((line) => {
    const bare = line.trim();
    return bare.startsWith("|") ? bare.slice(1, -1).split("|").map((cell) => cell.trim() || ".") : [...bare.replaceAll(" ", "")];
  });
  const width = rows[0].length;
  if (rows.some((row) => row.length !== width)) throw new Error("A drawn board must have rows of equal length.");
  const stones = Array.from({ length: width }, () => []);
  for (const row of rows.reverse()) {
    row.forEach((sign, column) => {
      const stone = { ".": 0, X: 1, O: -1 }[sign.toUpperCase()];
      if (stone === undefined) throw new Error(`A drawn board has X, O and "." only; got ${JSON.stringify(sign)}.`);
      if (stone) stones[column].push(stone);
      else stones[column].closed = true;
      if (stone && stones[column].closed) throw new Error(`A stone hangs in the air in column ${column + 1}.`);
    });
  }
  return { stones, width, height: rows.length };
}
