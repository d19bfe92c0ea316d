// What the tab shows of the game: board, bars, whose turn it is, the line of moves, and the thought of a player.
import { server } from "lab/shared/api";
import { Bars } from "lab/play/bars";
import { drawBoard, SIGNS, stoneSign } from "lab/shared/board";
import { button, make } from "lab/shared/elements";
import { label, signed } from "lab/shared/sentences";
import { SEARCHER } from "lab/play/recall";

const COMPILES = "The kernels are being compiled, once: the first search takes some seconds longer.";

export class GamePanel {
  constructor(page) {
    this.page = page;
    this.bars = new Bars();
    this.board = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const scroller = make("div", { class: "board-scroll", role: "group", "aria-label": "Board" }, make("div", { class: "board-width" }, this.bars.element, this.board));
    this.turn = make("p", { class: "turn" });
    this.progress = make("progress", { max: 1, "aria-label": "Progress of the search" });
    this.why = make("p", { class: "why" });
    this.compare = button("Why? Compare two rules there", () => page.toCompare(), { class: "link" });
    this.buttons = {
      back: button("Take back", () => page.takeBack()),
      redo: button("Redo", () => page.redo()),
      hint: button("Hint", () => page.adviser.hint()),
      scores: button("Exact scores", () => page.toggleScores(), { "aria-pressed": "false" }),
      pause: button("Pause", () => page.pause()),
      fresh: button("New game", () => page.fresh()),
    };
    this.setupPlace = make("div");
    this.line = make("ol", { class: "moves", "aria-label": "Moves" });
    this.element = make("div", { class: "game" }, make("div", { class: "turn-line" }, this.turn, this.progress), scroller, this.setupPlace);
    this.talk = make("section", { class: "card talk", "aria-label": "The game" },
      page.adviser.element, page.fault.element, this.why, make("div", { class: "row actions" }, Object.values(this.buttons)), this.line, this.compare);
  }

  turnSign() {
    const { page } = this, side = page.isOver ? page.game.position.winner() : page.side ? -1 : 1;
    return page.setup || side === 0 ? [] : [stoneSign(side)];
  }

  turnText() {
    const { page } = this;
    if (page.setup) return "Setting up a position";
    if (page.isOver) return page.ending();
    const sign = SIGNS[page.side ? -1 : 1];
    if (page.isPersons) return page.people.length === 2 ? `${sign} to move` : `Your move, with ${sign}`;
    const { thinking, isPaused } = page.thinker;
    const does = !thinking ? "is to move" : server.lost ? "waits for the server" : isPaused ? "is paused" : "is thinking";
    return `${sign}, ${label(page.players[page.side])}, ${does}`;
  }

  render() {
    const { page, buttons } = this, { game, setup } = page, free = !page.isOver && !setup;
    this.renderBoard();
    this.element.style.setProperty("--columns", game.width);
    this.element.style.setProperty("--rows", game.height);
    this.setupPlace.replaceChildren(...(setup ? [setup.element] : []));
    this.turn.replaceChildren(...this.turnSign(), this.turnText());
    buttons.back.disabled = setup !== null || page.backTo() === null;
    buttons.redo.disabled = setup !== null || game.ply === game.line.length;
    buttons.hint.disabled = !free || !page.isPersons;
    buttons.scores.disabled = !free;
    buttons.scores.setAttribute("aria-pressed", String(page.adviser.wantsScores));
    buttons.pause.hidden = !free || page.isPersons;
    buttons.pause.textContent = page.running ? "Pause" : game.ply || page.thinker.thinking ? "Go on" : "Start";
    buttons.pause.classList.toggle("main", !page.running);
    buttons.fresh.classList.toggle("main", page.isOver);
    this.renderLine();
    this.renderThought();
  }

  renderBoard() {
    const { page } = this, { game, setup } = page, { scores, hinted } = page.adviser, onColumn = (column) => page.play(column);
    if (scores === null && hinted !== null) {
      drawBoard(this.board, game.position, { onColumn, marks: Array.from({ length: game.width }, (_, column) => (column === hinted ? "hint" : "")) });
    } else if (setup) {
      drawBoard(this.board, setup.position, { last: false, onColumn, label: setup.position.label() });
    } else {
      drawBoard(this.board, game.position, { onColumn, marks: scores && scores.map(signed) });
      this.board.classList.toggle("waits", !page.isPersons || page.isOver);
    }
    this.board.classList.toggle("erases", setup?.brush === 0);
  }

  renderLine() {
    const { page } = this, { line, ply } = page.game;
    this.line.hidden = line.length === 0 || page.setup !== null;
    this.line.replaceChildren(...line.map((column, place) => make("li", {}, button(String(column + 1), () => page.goTo(place + 1), {
      class: `move ${SIGNS[place % 2 ? -1 : 1]}${place >= ply ? " later" : ""}`,
      "aria-current": place === ply - 1 ? "step" : undefined,
      "aria-label": `After move ${place + 1}, ${SIGNS[place % 2 ? -1 : 1]} in column ${column + 1}`,
    }))));
  }

  renderThought() {
    const { page } = this, { game, setup, players } = page, { thinking, thought, isPaused } = page.thinker;
    const event = thought?.event, thinks = thought?.column === null;
    this.progress.hidden = !(thinks && thinking) || server.lost;
    if (event?.of) this.progress.value = event.simulations / event.of;
    else this.progress.removeAttribute("value");
    this.why.textContent = setup ? "" : (thinks && event?.compiling ? COMPILES : (thought?.why ?? ""));
    this.compare.textContent = thinks || !thought ? "Compare two rules on this position" : "Why did it move so? Compare two rules there";
    this.compare.hidden = setup !== null || (!thought && page.isOver);
    const searcher = players.find(({ name }) => name === SEARCHER);
    const shown = !setup && (event?.visits || searcher);
    this.element.classList.toggle("plain", !shown);
    this.bars.show(shown ? {
      name: thought?.name ?? label(searcher ?? { name: "" }), event, thinks, paused: isPaused, ply: thought?.ply ?? game.ply,
      chosen: thought?.column ?? null, width: game.width, moves: game.position.legal(),
    } : null);
  }
}
