// A Connect 4 engine to begin with: it wins at once if it can, else stops a row of the opponent, else plays nearest the
// middle. Write a better `choose`.
//
//     treebandit template javascript -o my_engine.js
//     treebandit judge command="node my_engine.js" positions=60
//
// Each input line is a position: the moves so far, as columns from 1. With a time budget, a space and the seconds for
// this move follow, as in "4453 0.05". Boards of more than nine columns have commas between the moves. The answer is a
// line with a column, such as "4". It may also have the value for the side to move, from 0 (a loss) to 1 (a win), as in
// "4 0.62".

const [width, height] = (process.env.BOARD ?? "7x6").split("x").map(Number);
const connect = Number(process.env.CONNECT ?? "4");

// A position: a list of stones for each column, from the bottom; 1 is who moved first, 2 the other.
function positionOf(moves) {
  const columns = Array.from({ length: width }, () => []);
  moves.forEach((column, ply) => columns[column].push(1 + (ply % 2)));
  return columns;
}

// Stones of a player next to a cell in one direction.
function stones(columns, column, row, right, up, player) {
  let count = 0;
  while (columns[column + right * (count + 1)]?.[row + up * (count + 1)] === player) count++;
  return count;
}

// Whether a stone of a player on an open column wins.
function wins(columns, column, player) {
  const row = columns[column].length;
  return [[1, 0], [0, 1], [1, 1], [1, -1]].some(
    ([right, up]) =>
      1 + stones(columns, column, row, right, up, player) + stones(columns, column, row, -right, -up, player) >= connect,
  );
}

// The column, from 0, that a player plays within some seconds (0: no budget).
function choose(columns, player, seconds) {
  const open = [...columns.keys()].filter((column) => columns[column].length < height);
  const fromMiddle = (column) => Math.abs(2 * column - width + 1);
  return (
    open.find((column) => wins(columns, column, player)) ??
    open.find((column) => wins(columns, column, 3 - player)) ??
    open.sort((a, b) => fromMiddle(a) - fromMiddle(b))[0]
  );
}

require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const [text, budget] = line.split(" ");
    const moves = (width > 9 ? text.split(",") : [...text]).filter(Boolean).map((column) => Number(column) - 1);
    const player = 1 + (moves.length % 2);
    process.stdout.write(`${choose(positionOf(moves), player, Number(budget ?? 0)) + 1}\n`);
  });
