// The head of a recording: its title, the command that makes it, and a switch for the sentences beside the numbers.

import { html } from "lab/svg";

/** Return the head; `level` is that of the title (0 for none), `root` the element whose sentences are switched. */
export function head(recording, level, root) {
  const explain = html("input", { type: "checkbox", checked: "" });
  explain.addEventListener("change", () => root.classList.toggle("terse", !explain.checked));
  const title = level > 0 ? html(`h${level}`, {}, recording.title) : "";
  const command = recording.command ? html("code", { class: "command" }, recording.command) : "";
  return html("header", { class: "head" }, title, command, html("label", { class: "explain" }, explain, "Explanations"));
}
