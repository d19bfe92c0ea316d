// Play, pause, step and scrub through the steps of a recording, with mouse, touch or keyboard.

import { html, make, number } from "lab/shared/svg";

const SPEEDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const ICONS = {
  first: "M4 3h2v10H4zM13 3v10L6.5 8z", back: "M11.5 3v10L4.5 8z", play: "M4.5 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M4.5 3v10l7-5z", last: "M10 3h2v10h-2zM3 3v10l6.5-5z",
};
const shown = new Set(); // the controls on the page; keys go to those that were used last

/**
 * Buttons, a slider and keys over the steps 0 ... length.
 *
 * Options: `length`, `onSeek(n, playing)` (called at once with the first step, and whenever the step changes), `unit`
 * (what a step is called), `start` (0) and `speed` (steps a second). Space plays and pauses, the arrows go a step, with
 * shift ten, Home and End to the ends.
 */
export class Controls {
  constructor(element, { length, onSeek, unit = "simulation", start = 0, speed = 8 }) {
    Object.assign(this, { length, onSeek, unit, n: -1, playing: false });
    const button = (name, label, act) => {
      const about = { type: "button", class: `key ${name}`, "aria-label": label, title: label };
      const made = html("button", about, icon(name));
      made.addEventListener("click", act);
      return made;
    };
    this.toggle = button("play", "Play (space)", () => (this.playing ? this.pause() : this.play()));
    this.back = button("back", "One step back (left arrow)", () => this.step(-1));
    this.forward = button("forward", "One step on (right arrow)", () => this.step(1));
    this.first = button("first", "To the beginning (Home)", () => this.step(-length));
    this.last = button("last", "To the end (End)", () => this.step(length));
    this.slider = html("input", { type: "range", min: 0, max: length, step: 1, "aria-label": capital(unit) });
    this.slider.addEventListener("input", () => this.#moved(Number(this.slider.value)));
    const speeds = SPEEDS.map((one) => html("option", { value: one }, `${one} / s`));
    this.speed = html("select", { "aria-label": "Speed, steps a second" }, ...speeds);
    this.speed.value = String(speed);
    this.speed.addEventListener("change", () => this.#clock());
    const widest = `${capital(unit)} ${number(length)} of ${number(length)}`;
    const room = `--letters:${widest.length};--fewer:${widest.length - unit.length - 1}`;
    this.count = html("div", { class: "count", style: room });
    this.element = html(
      "div", { class: "controls", role: "group", "aria-label": `Steps of the recording: ${unit}s` },
      html("div", { class: "keys" }, this.first, this.back, this.toggle, this.forward, this.last), this.slider,
      this.count,
      html("label", { class: "speed" }, html("span", {}, "Speed"), this.speed),
    );
    element.append(this.element);
    this.keys = (event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
    this.touched = () => (Controls.current = this);
    this.home = element;
    element.addEventListener("pointerdown", this.touched);
    element.addEventListener("focusin", this.touched);
    shown.add(this);
    this.seek(start);
  }

  /** Go to a step. */
  seek(n) {
    const goal = Math.max(0, Math.min(this.length, Math.round(n)));
    if (goal !== this.n) {
      this.n = goal;
      this.slider.value = goal;
      const of = `${number(goal)} of ${number(this.length)}`;
      this.slider.setAttribute("aria-valuetext", of);
      this.count.replaceChildren(
        html("span", {}, `${capital(this.unit)} `), html("b", {}, number(goal)),
        ` of ${number(this.length)}`,
      );
      for (const key of [this.first, this.back]) key.setAttribute("aria-disabled", String(goal === 0));
      for (const key of [this.forward, this.last]) key.setAttribute("aria-disabled", String(goal === this.length));
      this.onSeek(goal, this.playing);
    }
  }

  /** Go some steps on and stand still there. */
  step(by) {
    this.#moved(this.n + by);
  }

  play() {
    if (this.n === this.length) this.seek(0);
    this.#show(true);
    this.#clock();
    const tick = () => {
      if (!this.playing) return;
      const [n, time] = this.began;
      this.seek(n + Math.floor(((performance.now() - time) / 1000) * Number(this.speed.value)));
      if (this.n === this.length) this.pause();
      else this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  pause() {
    if (!this.playing) return;
    cancelAnimationFrame(this.frame);
    this.#show(false);
    this.onSeek(this.n, false);
  }

  destroy() {
    this.pause();
    document.removeEventListener("keydown", this.keys);
    this.home.removeEventListener("pointerdown", this.touched);
    this.home.removeEventListener("focusin", this.touched);
    shown.delete(this);
    if (Controls.current === this) Controls.current = null;
    this.element.remove();
  }

  #moved(n) {
    this.pause();
    this.seek(n);
  }

  #clock() {
    this.began = [this.n, performance.now()];
  }

  #show(playing) {
    this.playing = playing;
    const label = playing ? "Pause (space)" : "Play (space)";
    this.toggle.setAttribute("aria-label", label);
    this.toggle.title = label;
    this.toggle.replaceChildren(icon(playing ? "pause" : "play"));
  }

  #key(event) {
    const { target, key } = event;
    const here = (one) => shown.has(one) && one.element.checkVisibility();
    const current = here(Controls.current) ? Controls.current : [...shown].find(here);
    if (current !== this || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (target !== this.slider && target.closest?.("input, select, textarea, summary, [contenteditable]")) return;
    if (key === " ") {
      if (target.closest?.("button, [role=button], a")) return; // a space presses those
      this.toggle.click();
    } else {
      const one = event.shiftKey ? 10 : 1;
      const by = { ArrowRight: one, ArrowLeft: -one, Home: -this.length, End: this.length }[key];
      if (by === undefined) return;
      this.step(by);
    }
    event.preventDefault();
  }
}

Controls.current = null;

function icon(name) {
  return make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, make("path", { d: ICONS[name] }));
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}
