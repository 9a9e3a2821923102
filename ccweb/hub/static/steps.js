// What a turn has done: the last steps stand there, the earlier ones are fetched when they are unfolded.
import { dress, refill } from "./dress.js";
import { part } from "./server.js";

export class Steps extends HTMLElement {
  #filling = false;
  #again = false;
  #byHand = false;

  #gone = null;

  connectedCallback() {
    this.#gone = new AbortController();
    const { signal } = this.#gone; // what is moved arrives twice
    this.fold = this.querySelector(".work-fold");
    this.earlier = this.querySelector(".earlier");
    this.latest = this.querySelector(".latest");
    this.fold.addEventListener("toggle", () => this.#fill(), { signal });
    this.fold.querySelector("summary").addEventListener("click", () => (this.#byHand = true), { signal });
  }

  disconnectedCallback() {
    this.#gone.abort();
  }

  // Takes over what the hub knows now; a step that a person has opened stays until it is closed.
  adopt(other) {
    this.dataset.before = other.dataset.before;
    this.querySelector(".work-count").textContent = other.querySelector(".work-count").textContent;
    this.fold.hidden = other.querySelector(".work-fold").hidden;
    const incoming = [...other.querySelector(".latest").children];
    const wanted = new Set(incoming.map((step) => step.id));
    for (const step of [...this.latest.children]) {
      if (!wanted.has(step.id) && !step.querySelector("details[open]")) step.remove();
    }
    for (const step of incoming) place(this.latest, step);
    this.#fill();
  }

  async #fill() {
    if (!this.fold.open) return;
    if (this.#filling) {
      this.#again = true;
      return;
    }
    this.#filling = true;
    const more = await this.#fetch().catch(() => false);
    this.#filling = false;
    if (!this.#byHand) this.dispatchEvent(new CustomEvent("grown", { bubbles: true }));
    this.#byHand = false;
    if (more || this.#again) {
      this.#again = false;
      this.#fill();
    }
  }

  // Fetches from the first step that was not done yet, and tells whether there may be more.
  async #fetch() {
    const first = this.earlier.querySelector('[data-status="running"]');
    const last = this.earlier.lastElementChild;
    const start = first?.dataset.position ?? (last ? Number(last.dataset.position) + 1 : 0);
    const { turn, before } = this.dataset;
    const found = await part(`/parts/turns/${turn}/steps`, { start, before });
    const lines = [...found.children];
    for (const step of lines) place(this.earlier, step);
    return lines.length >= 1000;
  }
}

// Puts a step in its place; one that has not changed is left alone.
function place(list, step) {
  const old = list.querySelector(`#${CSS.escape(step.id)}`);
  if (!old) {
    list.append(step);
    dress(step);
  } else if (old.dataset.version !== step.dataset.version) {
    Object.assign(old.dataset, step.dataset);
    refill(old, step);
  }
}

customElements.define("ccweb-steps", Steps);
