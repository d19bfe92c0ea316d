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
// `on` has thinking(event), moved(event), failed(sentence) and stopped().
export class Thinking {
  constructor(question, on) {
    Object.assign(this, { question: { ...question, id: newId() }, on, over: false, broken: false, begun: false });
    this.back = () => this.begin();
    this.leave = () => this.cancel(true);
    this.address = `/api/moves/${this.question.id}`;
    server.addEventListener("back", this.back);
    addEventListener("pagehide", this.leave);
    this.begin();
  }

  async begin() {
    this.events?.close();
    try {
      await post("/api/moves", this.question);
    } catch (error) {
      if (error instanceof Refused) this.end(() => this.on.failed(error.message));
      return; // a server that does not answer: "back" begins again
    }
    this.begun = true;
    if (this.over) { // cancelled while the question was on its way
      this.remove();
      return;
    }
    const events = (this.events = new EventSource(`${this.address}/events`));
    const heard = (name, what) => events.addEventListener(name, (event) => {
      if (!this.over && this.events === events) what(event.data ? JSON.parse(event.data) : {});
    });
    heard("thinking", (event) => this.on.thinking(event));
    heard("moved", (event) => this.end(() => this.on.moved(event)));
    heard("failed", (event) => this.end(() => this.on.failed(event.error)));
    heard("cancelled", () => (this.broken ? this.renew() : this.end(() => this.on.stopped())));
    events.onerror = () => {
      if (this.over || this.events !== events) return;
      this.broken = true;
      events.close(); // or the browser would ask on its own, and say so in the console, for ever
      setTimeout(() => this.over || ask("/api/catalogue").then(() => this.over || this.begin(), () => {}), AGAIN);
    };
  }

  // The server gave the search up because for some seconds nobody could watch it: ask for a new one.
  renew() {
    this.broken = false;
    this.events.close();
    this.question.id = newId();
    this.address = `/api/moves/${this.question.id}`;
    this.begin();
  }

  end(then) {
    this.over = true;
    this.events?.close();
    server.removeEventListener("back", this.back);
    removeEventListener("pagehide", this.leave);
    then?.();
  }

  cancel(leaving = false) {
    if (this.over) return;
    this.end();
    if (this.begun) this.remove(leaving);
  }

  remove(keepalive = false) { ask(this.address, { method: "DELETE", keepalive }).catch(() => {}); }
}
