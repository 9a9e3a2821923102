// The message box: drafts, Enter that leaves input methods alone, and the tools behind "/".
import { lang } from "/words.js";
import { COMPOSER_ITEMS } from "/contract.js";
import { post } from "./server.js";
import { announce, complain, tell } from "./toasts.js";
import { say } from "./words.js";

const SLOW_MS = 400;
const TOKEN = /(?:^|\s)\/(\S*)$/;

class Composer extends HTMLElement {
  #options = [];
  #active = -1;
  #sending = false;
  #unsure = null;

  connectedCallback() {
    this.form = this.querySelector("form");
    this.box = this.querySelector("textarea");
    this.menu = this.querySelector("#candidates");
    this.key = `ccweb:draft:${this.dataset.conversation}`;
    this.box.value ||= localStorage.getItem(this.key) ?? "";
    this.#takeFromAddress();
    this.box.addEventListener("input", () => this.#changed());
    this.box.addEventListener("keydown", (event) => this.#key(event));
    this.box.addEventListener("blur", () => this.#close());
    this.box.addEventListener("click", () => this.#suggest());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    document.addEventListener("ccweb:head", () => this.#showMode());
    addEventListener("storage", (event) => {
      if (event.key === this.key && document.hidden) this.box.value = event.newValue ?? "";
    });
    this.#showMode();
  }

  write(text) {
    this.box.value = text;
    this.#changed();
    this.box.focus();
    this.box.setSelectionRange(text.length, text.length);
  }

  async send() {
    const content = this.box.value;
    if (!content.trim() || this.#sending) return;
    this.#sending = true;
    const queued = this.#busy;
    const slow = setTimeout(() => this.#showMode(), SLOW_MS);
    this.box.value = ""; // the draft stays until the hub has it
    this.#close();
    try {
      await post(`/conversations/${this.dataset.conversation}/messages`, { content, key: this.#keyOf(content) });
      this.#unsure = null;
      this.#keep();
      if (queued) tell(say("queued"));
      else announce(say("sent"));
      document.dispatchEvent(new CustomEvent("ccweb:sent"));
    } catch (error) {
      this.box.value = this.box.value ? `${content}\n${this.box.value}` : content;
      this.#changed();
      complain(error);
    } finally {
      clearTimeout(slow);
      this.#sending = false;
      this.#showMode();
    }
  }

  // The same text sent again after a lost answer has the same key, so the hub writes it once.
  #keyOf(content) {
    if (this.#unsure?.content !== content) {
      const random = crypto.getRandomValues(new Uint8Array(16));
      this.#unsure = { content, key: Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("") };
    }
    return this.#unsure.key;
  }

  get #busy() {
    return document.querySelector(".head")?.dataset.busy === "yes";
  }

  #takeFromAddress() {
    const text = new URLSearchParams(location.hash.slice(1)).get("write");
    if (!text) return;
    history.replaceState(null, "", location.pathname);
    this.write(text);
  }

  #changed() {
    this.#keep();
    this.#suggest();
  }

  #keep() {
    if (this.box.value) localStorage.setItem(this.key, this.box.value);
    else localStorage.removeItem(this.key);
  }

  #showMode() {
    const hint = this.querySelector("#composer-hint");
    const send = this.querySelector("#send");
    const idle = this.#busy ? hint.dataset.busy : hint.dataset.idle;
    hint.textContent = this.#sending ? say("sending") : idle;
    hint.classList.toggle("busy", this.#busy || this.#sending);
    const word = this.#busy ? send.dataset.queue : send.dataset.send;
    send.querySelector(".send-word").textContent = word;
    send.setAttribute("aria-label", word);
  }

  #key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (!this.menu.hidden && this.#keyInMenu(event)) return event.preventDefault();
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.send();
    }
  }

  #keyInMenu(event) {
    const last = this.#options.length - 1;
    switch (event.key) {
      case "ArrowDown":
        this.#select(this.#active < last ? this.#active + 1 : 0);
        return true;
      case "ArrowUp":
        this.#select(this.#active > 0 ? this.#active - 1 : last);
        return true;
      case "Enter":
      case "Tab":
        if (event.shiftKey) return false;
        this.#choose(this.#options[this.#active]);
        return true;
      case "Escape":
        this.#close();
        return true;
      default:
        return false;
    }
  }

  #suggest() {
    const found = TOKEN.exec(this.box.value.slice(0, this.box.selectionStart));
    const wanted = found?.[1].toLowerCase();
    const fits = (item) => item.id.toLowerCase().includes(wanted) || item.title[lang].toLowerCase().includes(wanted);
    this.#options = found ? COMPOSER_ITEMS.filter(fits) : [];
    if (!this.#options.length) return this.#close();
    this.menu.replaceChildren(...this.#options.map((item, index) => this.#option(item, index)));
    if (this.menu.hidden) announce(say("candidates", { count: this.#options.length }));
    this.menu.hidden = false;
    this.box.setAttribute("role", "combobox");
    this.box.setAttribute("aria-autocomplete", "list");
    this.box.setAttribute("aria-expanded", "true");
    this.box.setAttribute("aria-controls", this.menu.id);
    this.#select(0);
  }

  #option(item, index) {
    const option = document.createElement("div");
    option.className = "candidate";
    option.id = `candidate-${index}`;
    option.setAttribute("role", "option");
    for (const [tag, text] of [["strong", item.title[lang]], ["code", item.id], ["span", item.summary[lang].replaceAll("`", "")]]) {
      option.append(Object.assign(document.createElement(tag), { textContent: text }));
    }
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      this.#choose(item);
    });
    return option;
  }

  #select(index) {
    this.#active = index;
    for (const [i, option] of [...this.menu.children].entries()) {
      option.setAttribute("aria-selected", String(i === index));
      if (i === index) option.scrollIntoView({ block: "nearest" });
    }
    this.box.setAttribute("aria-activedescendant", `candidate-${index}`);
  }

  #choose(item) {
    const end = this.box.selectionStart;
    const before = this.box.value.slice(0, end).replace(/\/\S*$/, `${item.id} `);
    this.box.value = before + this.box.value.slice(end);
    this.box.setSelectionRange(before.length, before.length);
    this.#changed();
    this.#close();
  }

  #close() {
    this.menu.hidden = true;
    for (const name of ["role", "aria-autocomplete", "aria-expanded", "aria-controls", "aria-activedescendant"]) {
      this.box.removeAttribute(name);
    }
  }
}

customElements.define("ccweb-composer", Composer);
