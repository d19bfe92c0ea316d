// The head of a recording: its title, the command that makes it, and a switch for the sentences beside the numbers.

import { html } from "lab/shared/svg";

/** Return the head; `level` is that of the title (0 for none), `root` the element whose sentences are switched. */
export function head(recording, level, root) {
  const explain = html("input", { type: "checkbox", checked: "" });
  explain.addEventListener("change", () => root.classList.toggle("terse", !explain.checked));
  const title = level > 0 ? html(`h${level}`, {}, recording.title) : "";
  return html("header", { class: "head" }, title, commandOf(recording), html("label", { class: "explain" }, explain, "Explanations"));
}

// The command, if there is one, written so that a line ends between words and never after a hyphen.
function commandOf({ command }) {
  if (!command) return "";
  const words = command.split(" ").flatMap((word, place) => [place ? " " : "", html("span", {}, word)]);
  return html("code", { class: "command" }, ...words);
}
