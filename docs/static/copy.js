// Each block of code has a button that copies it; the long lines of commands are wrapped (site.css).
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const code = block.querySelector("pre");
    if (!code) continue;
    code.tabIndex = 0; // so that a keyboard scrolls it
    code.classList.toggle("command", /^(\$ )?(python|treebandit|make|pip) /m.test(code.textContent) && !/[│┃]/.test(code.textContent));
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent.trimEnd());
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
