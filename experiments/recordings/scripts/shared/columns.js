// The numbers of a search above the columns of a board: visits, mean, bonus, index and exact score.

import { html } from "lab/shared/svg";
import { KINDS, of, searchWords } from "lab/shared/words";

const STEPS = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256]; // ends of the scale of the index
const SHARES = [0.25, 0.5, 0.75, 1]; // and of that of visits
const counts = new Intl.NumberFormat("en-US");

/** Write a count so that it fits above a column, in full below a limit. */
export function short(count, limit = 99_950) {
  if (count < limit) return counts.format(count);
  return count < 999_500 ? `${Math.round(count / 1e3)} k` : `${(count / 1e6).toPrecision(3)} M`;
}

/** Write a number with decimals and a true minus; "–" where there is none. */
export function fixed(value, places) {
  if (!Number.isFinite(value)) return value === Infinity ? "∞" : "–";
  const text = Math.abs(value).toFixed(places);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Write an exact score with its sign. */
export function signed(score) {
  return score === null || score === undefined ? "–" : score > 0 ? `+${score}` : String(score).replace("-", "−");
}

/** Return the smallest end of a scale, from 1 on, that has room for a value. */
export function scaleFor(value, steps = STEPS) {
  return steps.find((step) => step >= value - 1e-9) ?? value;
}

/** Return the smallest end of a scale that has room for a share of all visits. */
export function scaleForShare(share) {
  return scaleFor(share, SHARES);
}

/**
 * A table with a column for each column of the board and a line for each number.
 *
 * `moves` are the columns, from 0, that take a stone; `labels` has the name of every column of the board. Options:
 * `side` and `other` (who moves and who does not, "X" and "O"), `noun` (what a column is called), `explain` (true: a sentence beside each number) and `lower` (true: say what "lower"
 * means, as this rule leaves moves out; false unless given).
 */
export class Columns {
  constructor(element, moves, labels, { side = "X", other, noun = "column", explain = true, lower = false } = {}) {
    Object.assign(this, { moves: Array.from(moves), labels, side, other, noun, explain, lower, kind: null, exact: false });
    this.scale = { low: 0, high: 1, share: 1 };
    this.places = labels.length > 9 ? 2 : 3; // decimals
    this.table = html("table", { class: "columns-table" });
    this.table.append(html("caption", { class: "unseen" }, `What the search knows about each ${noun}`));
    element.append(this.table);
  }

  /**
   * Show numbers, each in the order of `moves`.
   *
   * `scores` are what the rule compared when the last simulation chose the move `chosen` (a column, or null for none),
   * and `before` the visits and means at that moment, where they are not those shown; NaN stands for what is not known
   * yet and -Infinity for a move that the rule left out. `initial` is the mean of a move before its first visit.
   * `index` is "bonus", "sample" or "other" as in a recording, `exact` the exact score of every column of the board or
   * null. `total` are the visits of all moves, those of the table unless given. `scale` has the ends of the bars, `low` and `high` of the index and `share` of the visits; without it they
   * follow the numbers.
   */
  update({
    visits, means, scores = null, exact = null, index = "bonus", chosen = null, before = null, initial = 0,
    scale = null, total = Array.from(visits).reduce((sum, one) => sum + one, 0),
  }) {
    const kind = scores && KINDS[index] ? index : null;
    if (!this.text || kind !== this.kind || (exact !== null) !== this.exact) this.#build(kind, exact !== null);
    const base = before?.means ?? means;
    const most = Math.max(...visits);
    this.#rescale(scores, most / (total || 1), scale);
    const best = exact && Math.max(...exact.filter((score) => score !== null));
    for (const [place, column] of this.moves.entries()) {
      const n = visits[place], share = total > 0 ? n / total : 0;
      this.#write("visits", column, short(n, this.places < 3 ? 9_950 : undefined), n === most && n > 0 ? "best" : "");
      this.#write("share", column, total > 0 ? `${Math.round(100 * share)} %` : "–");
      this.#bar("visits", column, 0, Math.min(1, share / this.scale.share));
      this.#write("mean", column, fixed(n > 0 ? means[place] : NaN, this.places));
      if (kind) this.#writeIndex(column, scores[place], Number.isFinite(base[place]) ? base[place] : initial);
      if (exact) this.#write("exact", column, signed(exact[column]), exact[column] === best ? "best" : "");
      for (const cell of this.cells[column]) cell.classList.toggle("chosen", column === chosen);
    }
  }

  #writeIndex(column, score, mean) {
    const { kind, places } = this, sign = kind !== "bonus" && score > mean ? "+" : "";
    this.#write("index", column, ...(score === -Infinity ? ["lower", "out"] : [fixed(score, places), ""]));
    const part = Number.isFinite(score) ? `${sign}${fixed(score - mean, places)}` : "–";
    if (KINDS[kind].part) this.#write("part", column, part);
    this.#stack(column, score, mean, kind);
  }

  #rescale(scores, share, given) {
    const scale = this.scale;
    if (given) Object.assign(scale, given);
    else {
      const finite = Array.from(scores ?? []).filter(Number.isFinite);
      const top = Math.max(0, ...finite), bottom = Math.min(0, ...finite);
      if (top > scale.high || top < scale.high / 2.2) scale.high = scaleFor(top);
      if (bottom < scale.low || bottom > scale.low / 2.2) scale.low = bottom < 0 ? -scaleFor(-bottom) : 0;
      if (share > scale.share || share < scale.share / 2.2) scale.share = scaleForShare(share);
    }
    const { low, high } = scale;
    this.table.style.setProperty("--zero", `${((100 * -low) / (high - low)).toFixed(2)}%`);
    const said = (value) => fixed(value, value % 1 ? 1 : 0);
    const text = `scale ${said(low)} to ${said(high)}`;
    if (this.scaleText.textContent !== text) this.scaleText.textContent = text;
  }

  // The bar of the index: from 0 to the mean, and from there to the index; a draw is one bar with a mark at the mean;
  // an index of another kind is a bar from the lower end of the scale.
  #stack(column, score, mean, kind) {
    const { low, high } = this.scale, at = (value) => Math.max(0, Math.min(1, (value - low) / (high - low)));
    const split = { bonus: mean, sample: 0, other: low }[kind], known = Number.isFinite(score) || score === Infinity;
    const end = known ? score : split, top = kind === "bonus" ? mean : 0;
    this.#bar("index", column, at(Math.min(0, top)), at(Math.max(0, top)), ".mean-part");
    this.#bar("index", column, at(Math.min(split, end)), at(Math.max(split, end)), ".rest-part");
    this.#bar("index", column, at(mean), at(mean), ".mean-mark");
  }

  #write(row, column, text, name = null) {
    const cell = this.text[row][column];
    if (cell.textContent !== text) cell.textContent = text;
    if (name !== null && cell.className !== name) cell.className = name;
  }

  #bar(row, column, from, to, part = ".part") {
    const bar = this.bars[row][column].querySelector(part);
    if (!bar) return;
    bar.style.bottom = `${(100 * from).toFixed(2)}%`;
    bar.style.height = `${(100 * (to - from)).toFixed(2)}%`;
  }

  #build(kind, exact) {
    Object.assign(this, { kind, exact, text: {}, bars: {}, cells: this.labels.map(() => []) });
    this.scaleText = html("span", { class: "scale" });
    this.table.dataset.index = kind ?? "none";
    const { noun } = this, words = searchWords(this.side, this.other, noun), { name, part, sentence, partSentence } = KINDS[kind ?? "bonus"];
    const heads = this.labels.map((label, column) => {
      const head = html("th", { scope: "col" }, label);
      this.cells[column].push(head);
      return head;
    });
    const bodies = [
      this.#group("Visits", words.visits, [["visits", "bar"], ["share", "small"]]),
      this.#group("Mean", words.mean, [["mean", "plain"]]),
    ];
    if (kind) {
      if (part) bodies.push(this.#group(part, of(noun, partSentence), [["part", "plain"]]));
      const said = of(noun, this.lower ? `${sentence} ${words.lower}` : sentence);
      bodies.push(this.#group(name, said, [["index", "stack"]], this.scaleText));
    }
    if (exact) bodies.push(this.#group("Exact score", words.exact, [["exact", "plain"]]));
    this.table.replaceChildren(this.table.caption, html("thead", {}, html("tr", {}, ...heads)), ...bodies);
  }

  #group(title, sentence, rows, more = "") {
    const said = this.explain ? html("span", { class: "sentence" }, sentence) : "";
    const head = html("div", {}, html("span", {}, html("b", {}, title), " ", said), more);
    const what = html("th", { class: "what", colspan: this.labels.length, scope: "rowgroup" }, head);
    const body = html("tbody", { class: rows[0][0] }, html("tr", {}, what));
    for (const [row, look] of rows) body.append(this.#row(row, look));
    return body;
  }

  #row(row, look) {
    this.text[row] = {};
    this.bars[row] = {};
    const line = html("tr", { class: look });
    for (const column of this.labels.keys()) {
      const cell = html("td", {});
      this.cells[column].push(cell);
      line.append(cell);
      if (!this.moves.includes(column)) {
        cell.append(html("span", { class: "unseen" }, "full"));
        continue;
      }
      if (look === "bar" || look === "stack") cell.append((this.bars[row][column] = barOf(look)));
      cell.append((this.text[row][column] = html("span", {})));
    }
    return line;
  }
}

function barOf(look) {
  const parts = look === "bar" ? ["part"] : ["mean-part", "rest-part", "mean-mark"];
  const bars = parts.map((name) => html("i", { class: name }));
  return html("span", { class: `track ${look}`, "aria-hidden": "true" }, ...bars);
}
