// The tab "Bandit": arms of known means pulled by a rule, step by step, and the same seed under another rule.
import { mountBandit } from "lab/bandit/view";
import { button, field, make, sentence } from "lab/shared/elements";
import { RecordingForm } from "lab/recording/form";
import { NumberField } from "lab/shared/settings";

export const mount = (element, app) => new BanditPage(element, app);

class BanditPage {
  constructor(element, app) {
    this.app = app;
    this.numbers = [
      new NumberField({ name: "horizon", type: "whole", low: 1, default: 500, help: "pulls of each rule" }, 500, () => this.changed()),
      new NumberField({ name: "seed", type: "whole", low: 0, default: 0, help: "the same rewards for both rules" }, 0, () => this.changed()),
    ];
    this.means = make("input", { type: "text", spellcheck: "false", autocomplete: "off", onchange: () => this.changed(), oninput: () => this.fault.say() });
    this.jump = new NumberField({ name: "jump", type: "whole", low: 1, default: null, optional: true, help: "pulls after which the arms have other means; empty: never" }, null, () => this.changed());
    this.later = make("input", { type: "text", spellcheck: "false", autocomplete: "off", onchange: () => this.changed(), oninput: () => this.laterFault.say() });
    this.fault = sentence();
    this.laterFault = sentence();
    const later = field("means after the jump", this.later, "As many numbers as above; empty: the same in reverse order.");
    later.append(this.laterFault.element);
    const means = field("means of the arms", this.means, "Chances of a reward, from 0 to 1, separated by commas; at most 100 arms.");
    means.append(this.fault.element);
    this.form = new RecordingForm({
      path: "/api/bandits", rules: app.catalogue.rules, titles: ["Rule", "Same seed under another rule"],
      settings: () => app.state.bandit, numbers: [...this.numbers, this.jump], mount: (place, recording) => mountBandit(place, recording, { heading: 2 }), go: "Play", waiting: "Playing …",
      room: app.catalogue.recordings.bytes, bytesAStep: () => this.bytesAStep(),
      question: () => this.question(), fileName: () => `bandit_${app.state.bandit.rules.map(({ name }) => name).join("_")}.html`, onChange: () => app.save(),
      fields: make("div", { class: "fields" }, means, this.numbers.map((one) => one.element), this.jump.element, later),
    });
    this.form.save.after(button("Another seed", () => { this.numbers[1].value = app.state.bandit.seed + 1; this.changed(); }));
    element.append(
      make("p", { class: "lead" }, "Slot machines whose means you know and the rule does not. Step through its pulls: what it knows about each arm, why it pulls the next one, and what that costs."),
      this.form.element, this.form.place);
  }

  show() {
    const { means, horizon, seed, jump, later } = this.app.state.bandit;
    this.means.value = means;
    this.jump.value = jump;
    this.later.value = later;
    this.numbers[0].value = horizon;
    this.numbers[1].value = seed;
    const unknown = this.form.fill();
    this.form.show();
    if (unknown) this.form.fault.say(unknown);
  }

  changed() {
    Object.assign(this.app.state.bandit, { means: this.means.value, horizon: this.numbers[0].value, seed: this.numbers[1].value, jump: this.jump.value, later: this.later.value });
    this.form.changed();
  }

  get values() { return numbersIn(this.means.value); }

  bytesAStep() {
    const { bandit: [own, each] } = this.app.catalogue.recordings;
    return own + each * Math.max(2, this.values.length);
  }

  question() {
    const { means, rules, horizon, seed, jump, later } = this.app.state.bandit, { values } = this;
    const fault = values.length < 2 || !values.every(isMean)
      ? `Means must be at least two numbers from 0 to 1, such as 0.3, 0.5, 0.7; got ${JSON.stringify(means)}.` : "";
    this.fault.say(fault);
    this.means.setAttribute("aria-invalid", String(Boolean(fault)));
    const others = later.trim() ? numbersIn(later) : [...values].reverse();
    const wrong = !fault && jump !== null && (others.length !== values.length || !others.every(isMean))
      ? `Means after the jump must be ${values.length} numbers from 0 to 1; got ${JSON.stringify(later)}.` : "";
    this.laterFault.say(wrong);
    this.later.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (fault || wrong) throw new Error("");
    return { means: values, rules, horizon, seed, ...(jump === null ? {} : { jump, later: others }) };
  }
}

const numbersIn = (text) => text.split(/[,;\s]+/).filter(Boolean).map(Number);
const isMean = (mean) => mean >= 0 && mean <= 1;
