// What each number means, in one sentence each; they stand beside the numbers.

/** What a rule compares, and what stands between that and the mean, by the kind of index that a recording names. */
export const KINDS = {
  bonus: {
    name: "Index", part: "Bonus", sentence: "Mean + bonus before this simulation. The highest is taken.",
    partSentence: "Added while a column is little known; visits shrink it. Before this simulation.",
  },
  sample: {
    name: "Draw", part: "Chance",
    sentence: "A random number near the mean. The highest is taken.",
    partSentence: "Draw − mean before this simulation. Visits shrink it.",
  },
  other: { name: "Index", part: null, sentence: "What this rule compares. The highest is taken." },
};

const LETTERS = {
  m: "the mean of a column", n: "its visits", t: "all visits plus 1", T: "the simulations of the whole search",
  K: "the number of columns", V: "the variance of its results", kl: "the relative entropy of two means",
};

/** Say a sentence about columns of what a game calls its moves, "column" or "move". */
export function of(noun, text) {
  return noun === "column" ? text : text.replaceAll("column", noun).replaceAll("Column", noun[0].toUpperCase() + noun.slice(1));
}

/** Say what the letters of a rule's formula stand for; nothing where it has none of them. */
export function formulaWords(formula, noun = "column") {
  const found = new Set(formula.match(/[A-Za-z]+/g)), told = Object.keys(LETTERS).filter((letter) => found.has(letter));
  const words = { ...LETTERS, n: found.has("m") ? LETTERS.n : "the visits of a column" };
  const parts = told.map((letter, place) => `${letter} ${place === 0 ? "is " : ""}${words[letter]}`), last = parts.pop();
  return of(noun, last ? `${parts.length ? `${parts.join(", ")} and ${last}` : last}.` : "");
}

/** Return the sentences about the numbers of a search, for the side to move, such as "X", and the other. */
export function searchWords(side, other = side === "X" ? "O" : "X", noun = "column") {
  const words = {
    visits: "Simulations through the column; the most visited is played.",
    mean: `Their average result for ${side} with this simulation: 1 is won, 0.5 drawn, 0 lost.`,
    exact: `With perfect play: above 0 ${side} wins, below 0 ${other} wins, 0 is a draw. The further from 0, the sooner.`,
    lower: "“lower”: sure not to be the highest.",
    select: "The rule compares all columns and takes the highest.",
    path:
      "Columns with their visits: the rule chooses for each side in turn, until a position is new or ends the game.",
    playout: "From there both sides move at random to the end.",
    update: "The result goes into every mean on the path.",
    tree: "Every line is a move; the more simulations went through it, the thicker it is.",
    plots: "Visits and means of the columns after every simulation; what is still to come is pale.",
  };
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, of(noun, text)]));
}

/** Say a result between 0 and 1 for one side: who won. */
export function resultWords(result, side, other = side === "X" ? "O" : "X") {
  if (result === 1) return `${side} wins`;
  if (result === 0) return `${other} wins`;
  return result === 0.5 ? "a draw" : "several playouts";
}
