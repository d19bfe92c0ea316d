// The server: questions and answers, the stream of a search, and what happens when it is gone and comes back.

export class Refused extends Error {} // the server says in one sentence what it cannot do
export class Unreachable extends Error {
  constructor() { super("The server does not answer."); }
}

// Events "lost" and "back"; `lost` says which was last.
export const server = Object.assign(new EventTarget(), { lost: false });

let token = document.querySelector('meta[name="token"]')?.content ?? "";

const AGAIN = 200; // milliseconds until a stream that broke is asked for again
const JSON_KIND = { "Content-Type": "application/json" };

async function reach(path, options = {}) {
  try {
    return await fetch(path, { ...options, headers: { ...options.headers, "X-Token": token } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    isLost();
    throw new Unreachable();
  }
}

// Returns the answer's JSON, or its bytes with as: "blob".
export async function ask(path, { method = "GET", body, signal, as = "json", keepalive } = {}) {
  const options = { method, signal, keepalive };
  if (body !== undefined) Object.assign(options, { body: JSON.stringify(body), headers: JSON_KIND });
  let answer = await reach(path, options);
  if (answer.status === 403 && (await newToken())) answer = await reach(path, options); // it was started again meanwhile
  if (answer.ok) return as === "json" ? (answer.status === 204 ? null : answer.json()) : answer.blob();
  const told = await answer.json().catch(() => ({}));
  throw new Refused(told.error ?? `The server cannot answer this (status ${answer.status}).`);
}

export const post = (path, body, more = {}) => ask(path, { method: "POST", body, ...more });

// A server that was started again has another token: it stands in its page. Returns whether it is another one.
async function newToken() {
  const text = await (await reach("/", { cache: "no-store" })).text();
  const found = new DOMParser().parseFromString(text, "text/html").querySelector('meta[name="token"]')?.content;
  const changed = found !== undefined && found !== token;
  if (changed) token = found;
  return changed;
}

function isLost() {
  if (server.lost) return;
  server.lost = true;
  server.dispatchEvent(new Event("lost"));
  const again = async () => {
    try {
      const answer = await fetch("/", { cache: "no-store" });
      if (!answer.ok) throw new Unreachable();
    } catch {
      setTimeout(again, 1000);
      return;
    }
    server.lost = false;
    await newToken().catch(() => false);
    server.dispatchEvent(new Event("back"));
  };
  setTimeout(again, 1000);
}

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// One search of the server's. Its id is made here and sent again after any break, so that no break starts a second search.
// `on` has thinking(event), moved(event), failed(sentence), stopped() and lost(), where the server has it no more. With
// an `id` it is one that was begun before, as by the page before it was loaded again.
export class Thinking {
  constructor(question, on, { id = null, paused = false } = {}) {
    Object.assign(this, { question: { ...question, id: id ?? newId() }, on, over: false, begun: id !== null, paused, isPaused: false });
    this.back = () => (this.begun ? this.again() : this.begin());
    this.address = `/api/moves/${this.question.id}`;
    server.addEventListener("back", this.back);
    this.back();
  }

  async begin() {
    try {
      await post("/api/moves", this.question);
    } catch (error) {
      if (error instanceof Refused) this.end(() => this.on.failed(error.message));
      return; // a server that does not answer: "back" begins again
    }
    this.begun = true;
    if (this.over) this.remove(); // cancelled while the question was on its way
    else this.listen();
    this.tell();
  }

  // Finds the search of a server that may have been started anew, or have given it up because nobody watched it.
  async again() {
    this.events?.close();
    let found;
    try {
      found = await this.pause();
    } catch (error) {
      if (error instanceof Refused) this.end(() => this.on.failed(error.message));
      return;
    }
    if (!found) this.end(() => this.on.lost());
    else if (!this.over) this.listen();
  }

  listen() {
    const events = (this.events = new EventSource(`${this.address}/events`));
    const heard = (name, what) => events.addEventListener(name, (event) => {
      if (!this.over && this.events === events) what(event.data ? JSON.parse(event.data) : {});
    });
    heard("thinking", (event) => this.on.thinking(event));
    heard("moved", (event) => this.end(() => this.on.moved(event)));
    heard("failed", (event) => this.end(() => this.on.failed(event.error)));
    heard("cancelled", () => this.end(() => this.on.stopped()));
    events.onerror = () => {
      if (this.over || this.events !== events) return;
      events.close(); // or the browser would ask on its own, and say so in the console, for ever
      setTimeout(() => this.over || this.again(), AGAIN);
    };
  }

  // Lets the search rest, which keeps its tree, or go on.
  rest(paused) {
    this.paused = paused;
    if (this.begun) this.tell();
  }

  async tell() {
    if (this.telling) return; // one after the other, so that the last word counts
    this.telling = true;
    try {
      while (!this.over && this.isPaused !== this.paused) await this.pause();
    } catch { /* a server that is lost is asked again when it is back */ }
    this.telling = false;
  }

  async pause() {
    const { paused } = this, { found } = await ask(this.address, { method: "PATCH", body: { paused } });
    this.isPaused = paused;
    return found;
  }

  end(then) {
    if (this.over) return;
    this.over = true;
    this.events?.close();
    server.removeEventListener("back", this.back);
    then?.();
  }

  cancel(leaving = false) {
    if (this.over) return;
    this.end();
    if (this.begun) this.remove(leaving);
  }

  remove(keepalive = false) { ask(this.address, { method: "DELETE", keepalive }).catch(() => {}); }
}
