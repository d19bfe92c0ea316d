// Elements of a drawing, and numbers as people write them.

const SVG = "http://www.w3.org/2000/svg";
let made = 0;

/** Make an SVG element with attributes and children; a child that is no node becomes text. */
export function make(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/** Make an HTML element the same way. */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (key === "style") element.style.cssText = value; // a served page's policy allows no style as an attribute
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Return a name that no other element of the page has. */
export function unique(word) {
  made += 1;
  return `${word}-${made}`;
}

const formats = new Map(); // making one takes longer than writing a thousand numbers

function format(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en-US", options));
  return formats.get(key);
}

/** Write a number to so many figures, with thousands separators and a true minus; "–" where there is none. */
export function number(value, digits = 6) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  return format({ maximumSignificantDigits: digits }).format(value).replace("-", "−");
}

/** Write a number with so many decimals. */
export function decimals(value, places = 2) {
  if (!Number.isFinite(value)) return number(value);
  const text = format({ minimumFractionDigits: places, maximumFractionDigits: places }).format(value);
  return Number(value.toFixed(places)) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** Return the colour of the n-th line; style.css holds ten, for light and for dark. */
export function lineColour(place) {
  return `var(--series-${place % 10})`;
}

/** Call `draw(width)` now and whenever the width of an element changes; return a function that ends it. */
export function onWidth(element, draw) {
  let last = 0;
  const look = () => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  };
  const watch = new ResizeObserver(look);
  watch.observe(element);
  look();
  return () => watch.disconnect();
}
