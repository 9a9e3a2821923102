// The list of conversations and what needs a person.
import { refill } from "./dress.js";
import { part } from "./server.js";
import { Soon } from "./soon.js";
import { announce } from "./toasts.js";
import { say } from "./words.js";

const REFRESH_MS = 250;
const TYPING_MS = 150;
const AGING_MS = 30000;
const SCROLL_KEY = "ccweb:list-scroll";

export class Sidebar {
  #renewal = new Soon(() => this.#take(), REFRESH_MS);
  #typing = 0;
  #needs = 0;
  #untold = 0;

  constructor(selected) {
    this.selected = selected;
    this.nav = document.getElementById("sidebar");
    this.search = document.getElementById("search");
    this.archived = document.getElementById("archived");
    this.title = document.title;
    this.search.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#renewal.now(), TYPING_MS);
    });
    this.search.addEventListener("keydown", (event) => this.#keyInSearch(event));
    this.nav.addEventListener("keydown", (event) => this.#keyInList(event));
    this.archived.addEventListener("click", () => this.#toggleArchived());
    this.nav.scrollTop = Number(sessionStorage.getItem(SCROLL_KEY) ?? 0);
    this.nav.addEventListener("scroll", () => sessionStorage.setItem(SCROLL_KEY, this.nav.scrollTop), { passive: true });
    setInterval(() => document.hidden || this.refresh(), AGING_MS);
    this.#needs = this.#count();
    this.#untold = this.#countUntold();
    this.#showCount();
  }

  refresh() {
    this.#renewal.wish();
  }

  async #take() {
    const archived = this.archived.getAttribute("aria-pressed") === "true" ? "yes" : "";
    const wanted = { query: this.search.value, archived, selected: this.selected };
    const found = await part("/parts/sidebar", wanted);
    refill(this.nav, found);
    const untold = this.#countUntold();
    if (untold > this.#untold) announce(say("now_needs"));
    this.#untold = untold;
    this.#needs = this.#count();
    this.#showCount();
  }

  #count() {
    return this.nav.querySelectorAll(".need").length;
  }

  // What an agent asks in the open conversation is told there, in its own words.
  #countUntold() {
    const here = `[href="/conversations/${this.selected}"] + [data-ask]`;
    return this.nav.querySelectorAll(`.need:not(:has(${here}))`).length;
  }

  #showCount() {
    const title = document.querySelector(".head")?.dataset.title;
    const name = title ? `${title} · ccweb` : this.title;
    document.title = this.#needs ? `(${this.#needs}) ${name}` : name;
  }

  #toggleArchived() {
    const on = this.archived.getAttribute("aria-pressed") !== "true";
    this.archived.setAttribute("aria-pressed", String(on));
    this.archived.textContent = on ? this.archived.dataset.on : this.archived.dataset.off;
    this.#renewal.now();
  }

  #keyInSearch(event) {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    this.nav.querySelector(".row")?.focus();
  }

  #keyInList(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const rows = [...this.nav.querySelectorAll(".need-link, .row")];
    const next = rows[rows.indexOf(document.activeElement) + step];
    event.preventDefault();
    (next ?? this.search).focus();
  }
}
