// Digits of the keyboard choose a column; where there are more than nine columns, a second digit may follow.
const PATIENCE = 800; // milliseconds for the second digit

export function listen({ isShown, width, play }) {
  let digits = "", timer;
  document.addEventListener("keydown", (event) => {
    if (!isShown() || !/^\d$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea")) return;
    clearTimeout(timer);
    digits += event.key;
    const choose = () => {
      const column = Number(digits) - 1;
      digits = "";
      if (column >= 0 && column < width()) play(column);
    };
    if (Number(digits) * 10 > width()) choose();
    else timer = setTimeout(choose, PATIENCE);
  });
}
