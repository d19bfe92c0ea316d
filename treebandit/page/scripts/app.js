// The frame of the page: which tab is shown, the link that holds everything, and whether the server is there.
import { ask, server, Unreachable } from "lab/shared/api";
import { initial, read, TABS, write } from "lab/shared/link";

const LOAD = {
  play: () => import("lab/play/page"),
  compare: () => import("lab/compare/page"),
  replay: () => import("lab/recording/page"),
  bandit: () => import("lab/bandit/page"),
};
const TITLES = { play: "Play Connect 4", compare: "Compare two rules", replay: "Replay a game", bandit: "A bandit" };
const LOST = `The server does not answer. Start it again with: python -m treebandit.page browser=false port=${location.port}. This page then continues by itself.`;

const byId = (id) => document.getElementById(id);
const pages = {}; // of the tabs that have been opened: {show(), hide()}

// What every tab may use.
export const app = {
  state: initial(),
  catalogue: null,
  left: null, // {moves, ply}: Play was left at a ply to compare rules on earlier moves of its game

  // Keeps the state in the link; with `step` the browser's Back returns to what was before.
  save({ step = false } = {}) {
    const hash = write(app.state);
    if (hash !== location.hash) history[step ? "pushState" : "replaceState"](null, "", hash);
    for (const link of document.querySelectorAll("[data-tab]")) link.href = write({ ...app.state, tab: link.dataset.tab });
    if (step) tell("problem", "");
  },

  // Shows another tab; the position goes with it.
  async go(tab) {
    app.state.tab = tab;
    app.save({ step: true });
    await show();
    byId("main").focus({ preventScroll: true });
    scrollTo(0, 0);
  },

  // Announces a sentence to screen readers.
  say(text) { byId("said").textContent = text; },
};

let shown = null;

async function show() {
  const { tab } = app.state;
  if (shown !== tab) pages[shown]?.hide?.();
  shown = tab;
  document.title = `${TITLES[tab]} · Watch it think`;
  for (const name of TABS) byId(name).hidden = name !== tab;
  for (const link of document.querySelectorAll("[data-tab]")) {
    if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    if (!app.catalogue) {
      app.catalogue = await ask("/api/catalogue");
      const program = app.catalogue.players.find(({ name }) => name === "program"); // which the command line has given
      if (program && !location.hash) app.state.players[1] = { name: program.name };
      if (app.catalogue.game && !location.hash) app.state.compare.own = true;
    }
    app.search_rules = app.catalogue.rules.map((rule) => app.catalogue.search_rules.find(({ name }) => name === rule.name) ?? rule);
    const opened = await LOAD[tab]();
    if (shown !== tab) return;
    pages[tab] ??= opened.mount(byId(tab), app);
    pages[tab].show();
    app.save();
    byId(tab).dataset.ready = "";
  } catch (error) {
    if (!(error instanceof Unreachable)) tell("problem", `This page cannot be shown: ${error.message}`);
    throw error;
  }
}

function tell(place, text) {
  byId(place).textContent = text;
  byId(place).hidden = !text;
}

server.addEventListener("lost", () => tell("server", LOST));
server.addEventListener("back", () => {
  tell("server", "");
  app.say("The server is back.");
  if (!(app.state.tab in pages)) show();
});

for (const link of document.querySelectorAll("[data-tab]")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // another tab of the browser
    event.preventDefault();
    app.go(link.dataset.tab);
  });
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address holds the state
  byId("main").focus();
});

// Back, Forward, and a link that is typed or pasted into the address.
function open() {
  app.state = read(location.hash);
  tell("problem", app.state.faults.join(" "));
  show();
}
addEventListener("popstate", open);
addEventListener("pageshow", (event) => event.persisted && open()); // the browser kept the page while it was left
open();
