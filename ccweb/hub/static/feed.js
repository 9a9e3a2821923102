// The stream of what happens. A page that nobody looks at lets go of it and catches up later, so
// that any number of open tabs leave the browser's few connections free.
import { tell } from "./toasts.js";
import { say } from "./words.js";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 4000;
const AWAY_AFTER_MS = 1200;

export class Feed {
  #source = null;
  #retry = FIRST_RETRY_MS;
  #timer = 0;
  #awayTimer = 0;

  constructor({ position, conversation, onEvent, onReset, onAway, onBack }) {
    Object.assign(this, { position, conversation, onEvent, onReset, onAway, onBack });
    this.away = false;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.close() : this.open()));
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.open());
  }

  open() {
    if (this.#source || document.hidden) return;
    clearTimeout(this.#timer);
    const query = new URLSearchParams({ after: this.position, conversation: this.conversation });
    const source = new EventSource(`/events?${query}`);
    this.#source = source;
    source.onopen = () => this.#arrived();
    source.onmessage = (event) => this.#take(event);
    source.addEventListener("reset", (event) => {
      this.position = Number(event.lastEventId);
      this.onReset();
    });
    source.onerror = () => this.#lost();
  }

  close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#awayTimer);
    this.#awayTimer = 0;
    this.#source?.close();
    this.#source = null;
  }

  retryNow() {
    this.close();
    this.open();
  }

  #take(event) {
    this.position = Number(event.lastEventId);
    this.onEvent(JSON.parse(event.data));
  }

  #arrived() {
    this.#retry = FIRST_RETRY_MS;
    clearTimeout(this.#awayTimer);
    this.#awayTimer = 0;
    if (this.away) {
      this.away = false;
      this.onBack();
    }
  }

  #lost() {
    this.#source?.close();
    this.#source = null;
    this.#awayTimer ||= setTimeout(() => this.#tellAway(), AWAY_AFTER_MS);
    this.#timer = setTimeout(() => this.open(), this.#retry);
    this.#retry = Math.min(this.#retry * 2, LAST_RETRY_MS);
  }

  #tellAway() {
    this.away = true;
    this.onAway();
  }
}

// The feed of a page with its banner for a hub that is away; everything is drawn anew once it is back.
// `ask` asks the hub for something: a session that has ended leads to the sign-in.
export function follow({ conversation = "", onEvent, refresh, ask = refresh }) {
  const away = document.getElementById("away");
  const feed = new Feed({
    position: Number(document.getElementById("shell").dataset.position),
    conversation,
    onEvent,
    onReset: refresh,
    onAway() {
      away.hidden = false;
      ask();
    },
    onBack() {
      away.hidden = true;
      tell(say("back"));
      refresh();
    },
  });
  document.getElementById("away-retry").addEventListener("click", () => feed.retryNow());
  return feed;
}
