// Forms of agents: what is half filled in outlives everything, limits are told in words, one answer is sent.
import { FieldType } from "/contract.js";
import { answer } from "./asks.js";
import { say } from "./words.js";

const DRAFT = "ccweb:form:";
const NEAR_FULL = 0.8;

// Every open form stands in the list of what needs you; of the others nothing is kept.
for (const key of Object.keys(localStorage).filter((name) => name.startsWith(DRAFT))) {
  const open = document.querySelector(`.need [data-ask="${CSS.escape(key.slice(DRAFT.length))}"]`);
  if (!open) localStorage.removeItem(key);
}

class Form extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.fields = [...this.querySelectorAll(".field")].map((element) => new Field(element));
    this.reason = this.querySelector(".fill-reason");
    this.key = DRAFT + this.dataset.form;
    this.gone = new AbortController();
    const { signal } = this.gone; // a form that is moved arrives twice
    this.form.addEventListener("input", (event) => this.#changed(event), { signal });
    this.form.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.form.addEventListener("submit", (event) => this.#submit(event), { signal });
    this.querySelector("[data-refuse]").addEventListener("click", () => this.#decline(), { signal });
    addEventListener("storage", (event) => event.key === this.key && document.hidden && this.restore(), { signal });
    this.restore();
  }

  disconnectedCallback() {
    this.gone.abort();
  }

  // Takes over what has been filled in here or in another place that shows the same form.
  restore() {
    const draft = JSON.parse(localStorage.getItem(this.key) ?? "{}");
    for (const field of this.fields) {
      if (draft.answers && Object.hasOwn(draft.answers, field.name)) field.value = draft.answers[field.name];
      field.check();
    }
    this.reason.value = draft.reason ?? "";
  }

  #changed(event) {
    const answers = Object.fromEntries(this.fields.map((field) => [field.name, field.value]));
    localStorage.setItem(this.key, JSON.stringify({ answers, reason: this.reason.value }));
    for (const field of this.fields) if (field.element.contains(event.target)) field.changed();
    for (const other of document.querySelectorAll(`ccweb-form[data-form="${this.dataset.form}"]`)) {
      if (other !== this) other.restore();
    }
  }

  // Enter sends only what is filled in to the end; before, it leads to what is missing.
  #key(event) {
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    if (!event.target.matches("input")) return;
    event.preventDefault();
    const empty = this.fields.find((field) => field.isEmpty && !field.element.contains(event.target));
    if (!empty) this.form.requestSubmit();
    else if (this.form.reportValidity()) empty.focus();
  }

  #submit(event) {
    event.preventDefault();
    const filled = this.fields.filter((field) => !field.isEmpty);
    this.#send({ answers: Object.fromEntries(filled.map((field) => [field.name, field.value])) });
  }

  #decline() {
    this.#send({ answers: null, note: this.reason.value.trim() });
  }

  async #send(body) {
    this.#complain("");
    const sent = await answer(this.form, body, (error) => this.#refused(error));
    if (sent) localStorage.removeItem(this.key);
  }

  #refused({ message, problems = {} }) {
    const wrong = this.fields.filter((field) => Object.hasOwn(problems, field.name));
    for (const field of wrong) field.complain(problems[field.name]);
    if (wrong.length) wrong[0].focus();
    else this.#complain(message);
  }

  #complain(text) {
    const line = this.querySelector(".form-error");
    line.textContent = text;
    line.hidden = !text;
  }
}

class Field {
  constructor(element) {
    this.element = element;
    this.name = element.dataset.field;
    this.type = element.dataset.type;
    this.controls = [...element.querySelectorAll("input, textarea, select")];
  }

  get value() {
    const [first] = this.controls;
    if (this.type === FieldType.BOOLEAN) return first.checked;
    if (this.type === FieldType.MULTISELECT) return this.controls.filter((box) => box.checked).map((box) => box.value);
    return first.value;
  }

  set value(value) {
    const [first] = this.controls;
    if (this.type === FieldType.BOOLEAN) first.checked = value;
    else if (this.type === FieldType.MULTISELECT) for (const box of this.controls) box.checked = value.includes(box.value);
    else first.value = value;
  }

  get isEmpty() {
    return this.type !== FieldType.BOOLEAN && this.value.length === 0;
  }

  focus() {
    this.controls[0].focus();
  }

  changed() {
    this.complain("");
    this.check();
  }

  // What the browser does not check itself: how many are chosen, and that the end of a text is near.
  check() {
    if (this.type === FieldType.MULTISELECT) this.#count();
    const most = Number(this.element.dataset.longest);
    const near = most && this.value.length >= most * NEAR_FULL;
    this.element.querySelector(".field-count").textContent = near ? say("characters", { count: this.value.length, most }) : "";
  }

  #count() {
    const { fewest, most, required } = this.element.querySelector("fieldset").dataset;
    const count = this.value.length;
    const few = (count > 0 || required !== undefined) && count < Number(fewest);
    const wrong = few ? say("choose_least", { count: fewest }) : count > Number(most) ? say("choose_most", { count: most }) : "";
    this.controls[0].setCustomValidity(wrong);
  }

  complain(text) {
    const line = this.element.querySelector(".field-error");
    line.textContent = text;
    line.hidden = !text;
    for (const control of this.controls) control.ariaInvalid = text ? "true" : null;
  }
}

customElements.define("ccweb-form", Form);
