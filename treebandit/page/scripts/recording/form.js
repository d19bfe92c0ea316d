// A form of one or two rules and some numbers, the recording that the server makes of them, and the file to keep it.
import { post, Refused, server, Unreachable } from "lab/shared/api";
import { button, download, make, sentence } from "lab/shared/elements";
import { capital } from "lab/shared/sentences";
import { Choice } from "lab/shared/settings";

const NONE = { name: "none", title: "no second rule", help: "", parameters: [] };

const PATIENCE = 2000; // milliseconds until a wait is explained
const COMPILES = "The first time, kernels are compiled for some seconds.";

export class RecordingForm {
  // settings(): the tab's part of the state, whose rules the form changes; question(): what is asked of `path`, or an
  // Error with a sentence; fields: elements beside the rules, `numbers` those with a check; bytesAStep(): what a step of
  // one rule takes of `room` bytes, which limits the first of the numbers; mount: of the component.
  constructor({ path, rules, titles, settings, question, fields, numbers, room, bytesAStep, mount, fileName, onChange, go, waiting, onShown, ofFile }) {
    Object.assign(this, { path, settings, question, numbers, room, bytesAStep, mount, fileName, onChange, waiting, onShown, ofFile: ofFile ?? question, asked: null });
    this.choices = titles.map((label, place) => new Choice({
      label, options: place ? [NONE, ...rules] : rules, value: { name: rules[0].name }, onChange: () => this.changed(),
    }));
    this.fault = sentence();
    this.state = make("p", { class: "about", role: "status" });
    this.run = make("button", { type: "submit", class: "main" }, go);
    this.save = button("Save as one file", () => this.keep());
    this.element = make("form", { class: "card recording-form", novalidate: true },
      make("div", { class: "rules" }, this.choices.map(({ element }) => element)), fields,
      make("div", { class: "row" }, this.run, this.save, this.state), this.fault.element);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.show(true);
    });
    this.place = make("div", { class: "recording" });
    server.addEventListener("back", () => this.element.isConnected && !this.element.closest("[hidden]") && this.show());
  }

  // The settings have come from elsewhere. Returns a sentence where one of them is not known here.
  fill() {
    const { rules } = this.settings();
    this.choices.forEach((choice, place) => { choice.value = rules[place] ?? NONE; });
    this.read();
    return this.choices.map(({ unknown }) => unknown).filter(Boolean).join(" ");
  }

  read() {
    this.settings().rules = this.choices.map(({ value }) => value).filter(({ name }) => name !== NONE.name);
  }

  check() {
    const rules = this.choices.filter(({ select }) => select.value !== NONE.name).length;
    this.numbers[0].limit(Math.floor(this.room / (rules * this.bytesAStep())));
    return [...this.choices, ...this.numbers].map((one) => one.check()).every(Boolean);
  }

  changed() {
    if (!this.check()) return;
    this.read();
    this.onChange();
    this.show();
  }

  // Shows the recording of what the form says, unless it is there already.
  async show(again = false) {
    let question;
    try {
      if (!this.check()) return;
      question = this.question();
    } catch (error) {
      this.clear(error.message);
      return;
    }
    const key = JSON.stringify(question);
    if (key === this.asked && !again) return;
    this.asked = key;
    this.abort?.abort();
    const { signal } = (this.abort = new AbortController());
    this.fault.say();
    this.state.textContent = this.waiting;
    const slow = setTimeout(() => { this.state.textContent = `${this.waiting} ${COMPILES}`; }, PATIENCE);
    this.place.setAttribute("aria-busy", "true");
    try {
      const recording = await post(this.path, question, { signal });
      this.state.textContent = "";
      this.draw(recording);
      this.place.dataset.ready = key;
      if (again) this.place.scrollIntoView(); // the button was pressed
      this.onShown?.(recording, signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.clear(error.message);
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    } finally {
      clearTimeout(slow);
    }
    this.place.removeAttribute("aria-busy");
  }

  // Draws a recording, at a step if one is given.
  draw(recording, step) {
    this.view?.destroy();
    this.place.replaceChildren();
    this.view = this.mount(this.place, recording, step);
  }

  // The step at which the recording that is drawn stands.
  get step() { return this.place.querySelector(".controls input[type=range]")?.valueAsNumber; }

  clear(said) {
    this.view?.destroy();
    this.view = null;
    this.asked = null;
    this.place.replaceChildren();
    delete this.place.dataset.ready;
    this.state.textContent = "";
    this.fault.say(said && `${capital(said).replace(/\.$/, "")}.`);
  }

  async keep() {
    try {
      if (!this.check()) return;
      this.state.textContent = "Writing the file …";
      const file = await post(`${this.path}?file`, this.ofFile(), { as: "blob" });
      download(file, this.fileName());
      this.state.textContent = `${this.fileName()} holds everything: it opens in any browser, without this program.`;
    } catch (error) {
      this.state.textContent = "";
      this.fault.say(`${capital(error.message).replace(/\.$/, "")}.`);
    }
  }
}
