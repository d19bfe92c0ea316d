// Forms made from the catalogue: a choice among players or rules, and a field for every parameter, with its range.
import { typed } from "lab/shared/link";
import { field, freshId, make } from "lab/shared/elements";

const BUDGETS = ["simulations", "seconds", "depth", "ply", "rate", "playouts_per_move"]; // stand first, always open
const words = (name) => name.replaceAll("_", " ");
const shortly = (value) => String(typeof value === "number" ? Number(value.toPrecision(6)) : value);
const plain = (value) => (typeof value === "number" ? value.toLocaleString("en") : String(value));

// What may be given, in words: "from 0 to 1", "above 0", "at least 1".
export function range({ low, high, above, below }) {
  const least = typeof low === "number" && `${above ? "above" : "at least"} ${plain(low)}`;
  const most = typeof high === "number" && `${below ? "below" : "at most"} ${plain(high)}`;
  if (least && most && !above && !below) return `from ${plain(low)} to ${plain(high)}`;
  return [least, most].filter(Boolean).join(", ");
}

// The sentence for a value that a parameter cannot have, or "".
export function fault(parameter, value) {
  const { low, high, above, below, type } = parameter;
  if (type !== "whole" && type !== "number") return "";
  if (value === null && parameter.optional) return "";
  const right = typeof value === "number" && Number.isFinite(value) && (type === "number" || Number.isInteger(value))
    && !(typeof low === "number" && (above ? value <= low : value < low))
    && !(typeof high === "number" && (below ? value >= high : value > high));
  if (right) return "";
  const kind = type === "whole" ? "a whole number" : "a number";
  return `${nameOf(parameter)} must be ${[kind, range(parameter)].filter(Boolean).join(" ")}; got ${typeof value === "number" ? plain(value) : JSON.stringify(value)}.`;
}

const nameOf = ({ label, name }) => words(label ?? name);

// One field for a number with a range, as the simulations of a comparison.
export class NumberField {
  constructor(parameter, value, onChange) {
    Object.assign(this, { parameter, onChange });
    this.input = make("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
    this.value = value;
    this.fault = make("span", { class: "fault", role: "alert", hidden: true });
    this.element = field(nameOf(parameter), this.input, about(parameter));
    this.element.append(this.fault);
    this.input.addEventListener("change", () => this.check() && this.onChange());
    this.input.addEventListener("input", () => this.fault.hidden || this.check()); // gone while one types: nothing moves below a click
  }

  get value() {
    const text = this.input.value.trim();
    return text === "" ? this.parameter.default : typed(text);
  }

  set value(value) { this.input.value = value ?? ""; }

  // The most that may be given here, which depends on other fields.
  limit(high) {
    this.parameter.high = high;
    this.element.querySelector(".about").textContent = about(this.parameter);
  }

  // Says what is wrong beside the field; returns whether nothing is.
  check() {
    const said = fault(this.parameter, this.value);
    this.fault.textContent = said;
    this.fault.hidden = !said;
    this.input.setAttribute("aria-invalid", String(Boolean(said)));
    return !said;
  }
}

// A docstring's line as plain text.
export const bare = (help) => (help ?? "").replaceAll("`", "").replace(/\s+/g, " ").replace(/\s*\.\.\.$/, "").trim();

// The help of a parameter and its range, which some helps hold already, as sentences.
function about(parameter) {
  const help = bare(parameter.help), allowed = /\b(from|above|at least) \S*\d/.test(help) ? "" : range(parameter);
  const told = (text) => text && `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
  return [told(help), told(allowed)].filter(Boolean).join(" ");
}

// A select of names and the fields of the chosen one's parameters.
//
// options: [{name, help, formula, parameters, title}]; `rules` are the options of a parameter called policy; `otherwise`
// is the name that stands in the place of one that is no option.
export class Choice {
  constructor({ label, options, value, onChange, rules = [], id, otherwise = options[0]?.name }) {
    Object.assign(this, { options, onChange, rules, otherwise, fields: [], faults: [] });
    this.select = make("select", { id: id ?? freshId("choice"), onchange: () => this.choose() },
      options.map(({ name, title }) => make("option", { value: name }, title ?? words(name))));
    this.help = make("p", { class: "about", id: `${this.select.id}-about` });
    this.select.setAttribute("aria-describedby", this.help.id);
    this.first = make("div", { class: "fields" });
    this.rest = make("div", { class: "fields" });
    this.more = make("details", { class: "further" }, make("summary", {}, "More settings"), this.rest);
    this.element = make("div", { class: "choice" },
      make("div", { class: "field" }, make("label", { for: this.select.id }, label), this.select), this.help, this.first, this.more);
    this.value = value;
  }

  get option() { return this.options.find(({ name }) => name === this.select.value); }

  get value() {
    const value = { name: this.select.value };
    for (const { parameter, read } of this.fields) {
      const given = read();
      if (given !== undefined && JSON.stringify(given) !== JSON.stringify(parameter.default)) value[parameter.name] = given;
    }
    return value;
  }

  // What means nothing here, and so is not shown, is said in `unknown`.
  set value(value) {
    const name = value.name ?? this.otherwise, known = this.options.some((one) => one.name === name);
    this.select.value = known ? name : this.otherwise;
    this.draw(known ? value : {});
    if (!known) this.faults = [`There is no ${JSON.stringify(name)} here; ${this.option?.title ?? this.otherwise} stands in its place.`];
  }

  get unknown() { return [...this.faults, ...this.fields.map(({ unknown }) => unknown?.())].filter(Boolean).join(" "); }

  choose() {
    this.draw({});
    this.onChange();
  }

  // Whether every field can be read; says beside each what cannot.
  check() { return this.fields.map(({ check }) => check?.() ?? true).every(Boolean); }

  draw(value) {
    const option = this.option ?? { parameters: [] };
    this.help.textContent = [option.formula, bare(option.help)].filter(Boolean).join(": ");
    const names = option.parameters.map(({ name }) => name), taken = names.length ? `it takes ${names.map(words).join(", ")}` : "it takes no settings";
    this.faults = Object.keys(value).filter((name) => name !== "name" && !names.includes(name))
      .map((name) => `There is no ${JSON.stringify(name)} of ${option.title ?? option.name} here; ${taken}.`);
    this.fields = option.parameters.map((parameter) => this.fieldOf(parameter, this.shownOf(parameter, value)));
    const few = this.fields.length <= 2;
    const isFirst = ({ parameter }) => few || BUDGETS.includes(parameter.name);
    this.first.replaceChildren(...this.fields.filter(isFirst).map(({ element }) => element));
    const rest = this.fields.filter((one) => !isFirst(one));
    this.rest.replaceChildren(...rest.map(({ element }) => element));
    this.more.hidden = rest.length === 0;
    this.more.open = rest.some(({ parameter }) => parameter.name in value);
  }

  // The value of a parameter that a field shows: what is given, unless it can be none of it.
  shownOf(parameter, given) {
    const { name, choices, type, optional, default: usual } = parameter, value = given[name];
    if (value === undefined || (value === null && usual === null)) return usual;
    const listed = choices?.length ? choices : type === "switch" ? [true, false] : null;
    if (value === null ? optional : !listed || listed.includes(value)) return value;
    this.faults.push(`${words(name)} must be ${listed ? `one of ${listed.join(", ")}` : "given"}; got ${JSON.stringify(value)}; ${usual ?? "none"} stands in its place.`);
    return usual;
  }

  fieldOf(parameter, value) {
    const { name, choices, type } = parameter, changed = () => this.onChange();
    if (type === "rule" && this.rules.length) {
      const inner = value !== null && typeof value === "object" ? value : { name: String(value ?? "") };
      const fitting = this.option.name === "uct" && !parameter.optional ? this.rules.filter(({ tree }) => tree) : this.rules; // a tree takes no memory
      const options = parameter.optional ? [{ name: "", title: "none", parameters: [] }, ...fitting] : fitting;
      const { default: usual } = parameter, otherwise = usual?.name ?? usual ?? "";
      const rule = new Choice({ label: name === "policy" ? "rule" : words(name), options, value: inner, onChange: changed, otherwise });
      const read = () => { const one = rule.value; return one.name === "" ? null : Object.keys(one).length === 1 ? one.name : one; };
      return { parameter, element: rule.element, read, check: () => rule.check(), unknown: () => rule.unknown };
    }
    if (choices?.length || type === "switch") {
      const listed = choices?.length ? [...(parameter.optional ? [null] : []), ...choices] : [false, true];
      const shown = (one) => (one === null ? "none" : one === true ? "yes" : one === false ? "no" : words(String(one)));
      const select = make("select", { onchange: changed }, listed.map((one) => make("option", { value: JSON.stringify(one) }, shown(one))));
      select.value = JSON.stringify(value);
      return { parameter, element: field(words(name), select, about(parameter)), read: () => JSON.parse(select.value || "null") };
    }
    const text = value !== null && typeof value === "object" ? JSON.stringify(value) : value;
    const one = new NumberField(parameter, value === parameter.default ? null : text, changed);
    one.input.placeholder = parameter.default === null || parameter.default === undefined ? "not set" : shortly(parameter.default);
    return { parameter, element: one.element, read: () => one.value, check: () => one.check() };
  }
}
