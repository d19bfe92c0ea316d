// Why a player moved as it did, in a sentence; names and scores as people read them.
import { SIGNS, writeMoves } from "lab/shared/board";

const LINE = 8; // moves of an expected line that are told
export const capital = (text) => text && text[0].toUpperCase() + text.slice(1);
const count = (value) => value.toLocaleString("en");

// "uct c=0.5 policy={name: kl_ucb, c: 3}": a name and every setting that is not the default.
export function label(choice) {
  if (choice.name === "human") return "you";
  return [choice.name, ...Object.entries(choice).filter(([name]) => name !== "name").map(([name, value]) => `${name}=${written(value)}`)].join(" ");
}

function written(value) {
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  const pairs = Object.entries(value);
  return pairs.length === 1 && value.name ? value.name : `{${pairs.map(([name, one]) => `${name}: ${written(one)}`).join(", ")}}`;
}

export const signed = (score) => (score === null || score === undefined ? "" : score > 0 ? `+${score}` : score < 0 ? `−${-score}` : "0");
export const verdict = (score) => `${score > 0 ? "a win" : score < 0 ? "a loss" : "a draw"}${score === 0 ? "" : ` (score ${signed(score)})`}`;

export function columns(list, word = "or") {
  const shown = list.map((column) => column + 1);
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} ${word} ${shown.at(-1)}`;
}

// event: as a search tells it with its move; side: 1 for X, -1 for O.
export function why(event, name, side, help = "") {
  const { column, visits, means } = event, sign = SIGNS[side], place = event.moves?.indexOf(column) ?? -1;
  const begin = `${sign}, ${name}, played column ${column + 1}`;
  if (!visits || place < 0) return `${begin}. It shows no numbers${help ? `; how it plays: ${help[0].toLowerCase()}${help.slice(1)}` : ""}.`;
  const mean = means?.[place];
  const most = Math.max(...visits), rivals = visits.filter((one) => one === most).length - 1;
  const rank = visits[place] < most ? "though another was tried more often" : rivals ? "as many as any other column" : "more than any other column";
  const tried = `${count(visits[place])} of ${count(visits.reduce((sum, one) => sum + one, 0))} simulations tried it`;
  const value = typeof mean === "number" ? `, with a mean result of ${mean.toFixed(2)} for ${sign}` : "";
  const line = event.line?.length > 1 ? ` It expects columns ${writeMoves(event.line.slice(0, LINE), 10).replaceAll(",", " ")}${event.line.length > LINE ? " …" : "."}` : "";
  return `${begin}: ${tried}, ${rank}${value}.${line}`;
}

// The same for a player that knows exact scores: those of every column before its move.
export function exactWhy({ exact: scores, column }, name, side) {
  const best = Math.max(...scores.filter((score) => score !== null));
  const others = scores.flatMap((score, one) => (score === best && one !== column ? [one] : []));
  const begin = `${SIGNS[side]}, ${name}, played column ${column + 1}, exactly ${verdict(scores[column])} for ${SIGNS[side]}`;
  if (scores[column] < best) return `${begin}; column ${columns(others)} would be ${verdict(best)}.`;
  const equal = others.length > 1 ? `columns ${columns(others, "and")} are as good` : `column ${columns(others)} is as good`;
  return others.length ? `${begin}; ${equal}.` : `${begin}: no other column is as good.`;
}
