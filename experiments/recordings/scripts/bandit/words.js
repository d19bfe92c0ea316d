// What each number of a bandit means, in one sentence each; they stand beside the numbers.

const INDEX_OF_ARMS = {
  bonus: "The mean plus the bonus. Each pull takes the arm where it is highest. An arrow stands for an infinite one.",
  sample: "A random number from the posterior. Each pull takes the arm where it is highest.",
  other: "The number by which this rule compares arms. Each pull takes the arm where it is highest.",
};

/** Return the sentences about the numbers of a bandit, for the kind of a rule's index. */
export function banditWords(index = "bonus") {
  return {
    truth: "The mean reward that the arm really has. The rule does not know it.",
    moving: "The mean reward that the arm really has at this pull; it changes where the plots have upright lines. The rule does not know it.",
    mean: "The average reward of the arm's pulls so far: what the rule knows of the true mean.",
    forgotten:
      "The average reward of all the arm's pulls so far. A rule for arms that change does not go by it: it forgets old " +
      "rewards, or starts again after an alarm, and the numbers by which it chooses are not shown.",
    assumed: "The mean that the rule assumes of an arm before its first pull.",
    posterior:
      "How likely each true mean is after the arm's rewards. It gets narrow with pulls; every arm's is drawn to the " +
      "same height.",
    bonus: "What the rule adds for an arm that it knows little about. It shrinks with every pull of the arm.",
    index: INDEX_OF_ARMS[index],
    lower: "The rule knows that another arm is higher, and does not need this one's number.",
    pulls: "How often the arm was pulled before this pull. The bar is its share of all pulls.",
    reward: "What the pulled arm paid at this pull.",
    regret: "How much less was won than by pulling the best arm every time.",
    dynamic: "How much less was won than by pulling the best arm of each moment.",
    regrets:
      "Expected: each pull adds the true mean of the best arm minus that of the pulled arm. Realised: each pull adds " +
      "what the best arm would have paid minus what was paid, so that chance counts too and it can fall.",
  };
}
