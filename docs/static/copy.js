// Each block of code has a button that copies it, and the long lines of commands are wrapped.

// A line that begins to the left of what is wrapped, so that each command is seen to be one.
function lineOf(text) {
  const line = document.createElement("span");
  line.className = "command";
  line.textContent = `${text}\n`;
  return line;
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const code = block.querySelector("pre");
    if (!code) continue;
    code.tabIndex = 0; // so that a keyboard scrolls it
    const text = code.textContent.trimEnd();
    if (code.closest(".highlight-none") && /^(python|treebandit|make|pip) /m.test(text) && !/[│┃]/.test(text)) code.replaceChildren(...text.split("\n").map(lineOf));
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code); // the browser lets no script write: a key copies what is marked
        button.textContent = "Marked";
      }
      setTimeout(() => (button.textContent = "Copy"), 2_000);
    });
    block.append(button);
  }
});
