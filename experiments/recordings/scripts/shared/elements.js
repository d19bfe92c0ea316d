// Elements of a page, made in one expression.

// make("button", {class: "quiet", onclick: f, "aria-label": "..."}, "text", otherElement)
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return element;
}

export const button = (text, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, text);

let numbered = 0;
export const freshId = (word) => `${word}-${++numbered}`;

// A field below its label; `input` gets the id that the label names.
export function field(text, input, about) {
  input.id ||= freshId("field");
  const help = about ? make("span", { class: "about", id: `${input.id}-about` }, about) : null;
  if (help) input.setAttribute("aria-describedby", help.id);
  return make("div", { class: "field" }, make("label", { for: input.id }, text), input, help);
}

// A sentence near what caused it; empty text takes it away.
export function sentence(kind = "fault") {
  const element = make("p", { class: kind, role: kind === "fault" ? "alert" : undefined, hidden: true });
  return { element, say(text = "") { element.textContent = text; element.hidden = !text; } };
}

export function copied(text) { // resolves to whether the clipboard took it
  return navigator.clipboard ? navigator.clipboard.writeText(text).then(() => true, () => false) : Promise.resolve(false);
}

export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
