// A text that is still being written. What a blank line has settled is rendered by the hub, once;
// the rest is shown as it comes.
import { post } from "./server.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LARGEST = 48 * 1024;

export class Stream extends HTMLElement {
  #rendering = false;
  #rest = "";
  #text = 0;

  connectedCallback() {
    this.position = Number(this.dataset.position);
    this.#rest = this.#tail.textContent;
    this.#look();
  }

  get #tail() {
    return this.querySelector(".tail");
  }

  take({ position, text, said }) {
    if (position <= this.position) return;
    this.position = position;
    if (said) return this.#close(position);
    this.#rest += text;
    this.#tail.append(text);
    if (text.includes("\n")) this.#settle();
  }

  // What was said so far is a step now. It stays in sight until the hub shows it as one.
  #close(position) {
    const said = document.createElement("div");
    said.className = "closing";
    said.dataset.position = position;
    const settled = this.querySelector(".settled");
    const tail = this.#tail;
    settled.before(said);
    said.append(settled.cloneNode(true), tail.cloneNode(true));
    this.#begin("");
    settled.replaceChildren();
    tail.textContent = "";
  }

  #begin(rest) {
    this.#text += 1;
    this.#rendering = false;
    this.#rest = rest;
    this.#look();
  }

  // Takes over what the hub knows better: the words below the text, and text that was missed.
  adopt(other) {
    this.querySelector(".working").replaceWith(other.querySelector(".working"));
    const known = Number(other.dataset.position);
    for (const said of this.querySelectorAll(".closing")) {
      if (Number(said.dataset.position) <= known) said.remove();
    }
    if (known <= this.position) return;
    this.querySelector(".settled").replaceWith(other.querySelector(".settled"));
    this.#tail.replaceWith(other.querySelector(".tail"));
    this.position = known;
    this.#begin(this.#tail.textContent);
  }

  async #settle() {
    const cut = this.#rendering ? 0 : settledLength(this.#rest);
    this.#look();
    if (!cut || cut > LARGEST) return;
    this.#rendering = true;
    const begun = this.#text;
    try {
      const { html } = await post("/render", { text: this.#rest.slice(0, cut) });
      if (begun !== this.#text) return;
      this.querySelector(".settled").insertAdjacentHTML("beforeend", html);
      this.dispatchEvent(new CustomEvent("settled", { bubbles: true }));
      this.#rest = this.#rest.slice(cut);
      this.#tail.textContent = this.#rest;
    } catch {
      return;
    } finally {
      if (begun === this.#text) this.#rendering = false;
    }
    this.#settle();
  }

  #look() {
    this.#tail.classList.toggle("in-code", FENCE.test(this.#rest.split("\n", 1)[0]));
  }
}

// The length of what will not change any more: up to the last blank line outside a code block.
export function settledLength(text) {
  let cut = 0;
  let position = 0;
  let fence = "";
  for (const line of text.split(/(?<=\n)/)) {
    position += line.length;
    fence = fenceAfter(fence, line.trimEnd());
    if (!fence && !line.trim() && line.endsWith("\n")) cut = position;
  }
  return cut;
}

function fenceAfter(fence, line) {
  const found = FENCE.exec(line);
  if (!found) return fence;
  const [, marks, rest] = found;
  if (!fence) return marks;
  const closes = marks[0] === fence[0] && marks.length >= fence.length && !rest.trim();
  return closes ? "" : fence;
}

customElements.define("ccweb-stream", Stream);
