// What each number means, in one sentence each; they stand beside the numbers.

/** The name of what a rule compares, by the kind of its index, as the recording calls it. */
export const INDEX_NAMES = { bonus: "Index", sample: "Draw", other: "Index" };

const INDEX = {
  bonus: "The mean plus the bonus. Each simulation takes the column where it is highest.",
  sample:
    "A random number near the mean, the nearer the more visits there are. Each simulation takes the column where it " +
    "is highest.",
  other: "The number by which this rule compares columns. Each simulation takes the column where it is highest.",
};

/**
 * Return the sentences about the numbers of a search, for the side to move ("X" or "O") and the kind of its index.
 */
export function searchWords(side, index = "bonus") {
  const other = side === "X" ? "O" : "X";
  return {
    visits: "How many simulations went through the column, and their share of all. The search plays the most visited one.",
    mean: `The average result of these simulations for ${side}: 1 is won, 0.5 drawn, 0 lost.`,
    bonus: "What the rule adds for a column that it knows little about. It shrinks with every visit.",
    index: INDEX[index],
    exact:
      `What perfect play leads to: above 0 ${side} wins, 0 is a draw, below 0 ${other} wins. The further from 0, the ` +
      "sooner.",
    path:
      "The moves that a simulation selects, each by the rule, until it reaches a position that is new to the tree or " +
      "ends the game.",
    playout: "From a new position both sides play at random to the end of the game. Its result is added to every position of the path.",
    tree: "Every line is a move, and as thick as the simulations that went through it. Choose a position to see its board.",
    plots: "Visits and means of each column after every simulation. What is still to come is pale.",
  };
}

/** Return the sentences about the numbers of a bandit. */
export function banditWords(index = "bonus") {
  return {
    pulls: "How often the arm was chosen.",
    mean: "The average reward of these pulls.",
    bonus: "What the rule adds for an arm that it knows little about. It shrinks with every pull.",
    index: INDEX[index]?.replace("simulation", "pull").replace("column", "arm").replace("visits", "pulls"),
    truth: "The mean reward that the arm really has, which the rule does not know.",
    regret: "How much less was won than by pulling the best arm every time.",
  };
}

/** Say a result between 0 and 1 for one side: who won. */
export function resultWords(result, side) {
  const other = side === "X" ? "O" : "X";
  if (result === 1) return `${side} wins`;
  if (result === 0) return `${other} wins`;
  return result === 0.5 ? "a draw" : `${result.toFixed(2)} for ${side}, on average`;
}
