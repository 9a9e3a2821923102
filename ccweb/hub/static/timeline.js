// The messages of the open conversation: kept in step with the hub entry by entry.
import { EventKind } from "./kinds.js";
import { dress, refill, remove } from "./dress.js";
import { arrange, ids } from "./reconcile.js";
import { part, post } from "./server.js";
import { Soon } from "./soon.js";
import { announce } from "./toasts.js";
import { say } from "./words.js";
import "./steps.js";
import "./stream.js";

const NEAR_END = 120;
const FAR_FROM_END = 500;
const KNOWN = 160;
const REFRESH_MS = 60;
const SAID = 160;

export class Timeline {
  #renewal = new Soon(() => this.#fetch(), REFRESH_MS);
  #early = new Map();
  #readUpTo = 0;
  #loadingOlder = false;
  #atEnd = true;

  constructor(conversation, title) {
    this.conversation = conversation;
    this.title = title;
    this.list = document.getElementById("timeline");
    this.scroll = document.getElementById("scroll");
    this.older = document.getElementById("older");
    this.toEnd = document.getElementById("to-end");
    dress(document.getElementById("head"));
    dress(this.list);
    this.#watchScroll();
    this.#afterChange(this.#hasBegun());
  }

  // An open card shows how far the other conversation is.
  concerns(event) {
    if (event.conversationId === this.conversation || event.kind === EventKind.ASK) return true;
    return this.list.querySelector(`.card[data-open="yes"][data-other="${event.conversationId}"]`) !== null;
  }

  // Something has happened here; several things in a row are fetched together.
  changed(event) {
    if (event.kind === EventKind.DELTA) return this.#write(event);
    if (event.requestId) this.#refreshFarCard(event.requestId);
    this.refresh();
  }

  refresh() {
    this.#renewal.wish();
  }

  goToEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  // A form at the end that is higher than the window is read from its beginning.
  #showEnd() {
    const form = this.list.lastElementChild?.querySelector(".ask:has(.fill)");
    if (form?.offsetHeight > this.scroll.clientHeight) form.scrollIntoView();
    else this.goToEnd();
  }

  async #fetch() {
    const found = await part(`/parts/conversations/${this.conversation}`, { known: this.#known() }).catch((error) => {
      if (error.status === 404) location.reload(); // it has been deleted, and the page says so
      throw error;
    });
    this.#take(found);
  }

  #known() {
    const entries = [...this.list.children].slice(-KNOWN);
    return entries.map((entry) => entry.dataset.version).join(",");
  }

  #take(found) {
    const atEnd = this.#isNearEnd() || !this.#hasBegun();
    const head = found.querySelector("[data-part=head]");
    refill(document.getElementById("head"), head);
    const incoming = found.querySelector("[data-part=timeline]");
    this.list.dataset.last = incoming.dataset.last;
    const news = this.#reconcile([...incoming.children], incoming.dataset.before);
    this.#announce(news);
    this.#flushEarly();
    this.#afterChange(atEnd);
    document.dispatchEvent(new CustomEvent("ccweb:head"));
  }

  // Puts the newest page in the place of what was there; entries before it stay.
  #reconcile(incoming, before) {
    const wanted = ids(incoming);
    const from = [...this.list.children].find((entry) => wanted.has(entry.id));
    if (!from) {
      this.list.replaceChildren();
      this.#setBefore(before);
    }
    const news = [];
    arrange(this.list, incoming, {
      from,
      update: (entry, fresh) => this.#update(entry, fresh),
      added(entry) {
        dress(entry);
        news.push(entry);
      },
    });
    for (let entry = from; entry; ) {
      const next = entry.nextElementSibling;
      if (!wanted.has(entry.id)) remove(entry);
      entry = next;
    }
    return news;
  }

  #update(old, entry) {
    if (old.dataset.version === entry.dataset.version || !entry.hasChildNodes()) return;
    old.dataset.version = entry.dataset.version;
    const kept = old.querySelector("ccweb-stream, ccweb-steps");
    const other = entry.querySelector("ccweb-stream, ccweb-steps");
    if (kept && other) kept.adopt(other);
    else refill(old, entry);
  }

  #write(piece) {
    const { turnId } = piece;
    const stream = document.getElementById(`${turnId}-stream`);
    if (!stream) {
      this.#early.set(turnId, [...(this.#early.get(turnId) ?? []), piece]);
      return this.refresh();
    }
    const atEnd = this.#isNearEnd();
    stream.take(piece);
    if (atEnd) this.goToEnd();
  }

  #flushEarly() {
    for (const [turnId, pieces] of this.#early) {
      const stream = document.getElementById(`${turnId}-stream`);
      for (const piece of stream ? pieces : []) stream.take(piece);
    }
    this.#early.clear();
  }

  // A card may stand before the newest page; then it is fetched alone.
  async #refreshFarCard(requestId) {
    const entry = document.getElementById(`e-${requestId}`);
    if (!entry) return;
    const found = await part(`/parts/requests/${requestId}`, { here: this.conversation }).catch(() => null);
    const fresh = found?.querySelector(".entry");
    if (fresh && entry.isConnected && !entry.querySelector("details.prompt")) this.#update(entry, fresh);
  }

  async #loadOlder() {
    const before = this.older.dataset.before;
    if (!before || this.#loadingOlder) return;
    this.#loadingOlder = true;
    const skeleton = document.createElement("li");
    skeleton.className = "skeleton";
    skeleton.append(...[1, 2, 3].map(() => document.createElement("i")));
    this.list.prepend(skeleton);
    try {
      const found = await part(`/parts/conversations/${this.conversation}`, { before });
      const incoming = found.querySelector("[data-part=timeline]");
      const height = this.scroll.scrollHeight - this.scroll.scrollTop;
      skeleton.replaceWith(...[...incoming.children].filter((entry) => !document.getElementById(entry.id)));
      dress(this.list);
      this.scroll.scrollTop = this.scroll.scrollHeight - height;
      this.#setBefore(incoming.dataset.before);
    } catch {
      skeleton.remove();
    } finally {
      this.#loadingOlder = false;
    }
  }

  #setBefore(before) {
    this.older.dataset.before = before;
    this.older.hidden = !before;
  }

  #watchScroll() {
    this.scroll.addEventListener("scroll", () => this.#showToEnd(), { passive: true });
    this.toEnd.addEventListener("click", () => {
      this.goToEnd();
      document.getElementById("message").focus();
    });
    document.getElementById("older-button").addEventListener("click", () => this.#loadOlder());
    new IntersectionObserver(([seen]) => seen.isIntersecting && this.#loadOlder(), {
      root: this.scroll,
      rootMargin: "200px 0px 0px",
    }).observe(this.older);
    document.addEventListener("visibilitychange", () => this.#markRead());
    this.list.addEventListener("settled", (event) => dress(event.target));
    this.list.addEventListener("grown", () => this.#atEnd && this.goToEnd());
  }

  #afterChange(goToEnd) {
    document.getElementById("empty").hidden = this.#hasBegun();
    document.getElementById("empty-title").hidden = this.list.childElementCount > 0;
    if (goToEnd) this.#showEnd();
    this.#showToEnd();
    this.#markRead();
  }

  #hasBegun() {
    return this.list.querySelector(".said, .card, .told, .continued, .reply") !== null;
  }

  #isNearEnd() {
    return this.scroll.scrollHeight - this.scroll.scrollTop - this.scroll.clientHeight < NEAR_END;
  }

  #showToEnd() {
    this.#atEnd = this.#isNearEnd();
    const left = this.scroll.scrollHeight - this.scroll.scrollTop - this.scroll.clientHeight;
    this.toEnd.hidden = left < FAR_FROM_END;
  }

  #markRead() {
    const position = Number(this.list.dataset.last);
    if (document.hidden || position <= this.#readUpTo) return;
    this.#readUpTo = position;
    post(`/conversations/${this.conversation}/read`, { position }).catch(() => {
      this.#readUpTo = 0;
    });
  }

  #announce(news) {
    for (const entry of news) {
      const output = entry.querySelector("[data-output]");
      const picture = entry.querySelector(".picture img");
      const reply = entry.querySelector(".reply");
      const ask = entry.querySelector(".ask-head");
      const trouble = entry.querySelector("[data-ended-badly]");
      if (output) announce(say("new_output", { title: this.title, text: beginning(output) }));
      else if (picture) announce(say("new_image", { title: this.title, text: picture.alt }));
      else if (reply) announce(say("new_reply", { text: beginning(reply.querySelector("summary")) }));
      else if (ask) announce(say("asked", { text: beginning(ask.closest(".ask")) }));
      else if (trouble) announce(say("ended_badly", { text: beginning(trouble) }));
    }
  }
}

function beginning(element) {
  return element.textContent.replace(/\s+/g, " ").trim().slice(0, SAID);
}
