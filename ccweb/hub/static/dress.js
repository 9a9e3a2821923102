// What a script adds to HTML that has just arrived: local times, copy buttons, remembered folds.
import { say } from "./words.js";
import { part, plain } from "./server.js";

const KEY = "ccweb:folds";
const KEPT = 400;
const folds = new Map(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
const skew = Date.now() - Number(document.getElementById("shell")?.dataset.now ?? Date.now());

export function dress(root) {
  for (const time of root.querySelectorAll("time[data-clock]")) time.textContent = clock(Number(time.dataset.clock));
  for (const code of root.querySelectorAll(".code:not(:has(.copy))")) code.append(copyButton(code));
  for (const fold of root.querySelectorAll("details[data-remember]")) {
    if (folds.has(fold.id)) fold.open = folds.get(fold.id);
  }
  tick(root);
}

// Replaces content and keeps what the person has opened and where the focus is.
export function refill(holder, content) {
  const open = [...holder.querySelectorAll("details[open]")].map((fold) => fold.id);
  const focused = holder.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const written = values(holder);
  holder.replaceChildren(...content.childNodes);
  for (const [key, value] of written) restore(holder, key, value);
  for (const id of open) {
    const fold = id && document.getElementById(id);
    if (fold) fold.open = true;
  }
  if (focused) (holder.querySelector(`[data-key="${CSS.escape(focused)}"]`) ?? home()).focus({ preventScroll: true });
  dress(holder);
}

// Takes an entry away; the focus that was in it goes where a person goes on.
export function remove(entry) {
  const focused = entry.contains(document.activeElement);
  entry.remove();
  if (focused) home().focus({ preventScroll: true });
}

// What a person has typed or ticked in the forms of asks, by the key of each field.
function values(holder) {
  const fields = [...holder.querySelectorAll(".ask-form [data-key]:is(input, textarea)")];
  return fields.map((field) => [field.dataset.key, field.type.match(/radio|checkbox/) ? field.checked : field.value]);
}

function restore(holder, key, value) {
  const field = holder.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (!field) return;
  if (typeof value === "boolean") field.checked = value;
  else field.value = value;
}

// Where the focus goes when what had it is no more. Touch would open the keyboard over the page.
function home() {
  const touch = matchMedia("(hover: none)").matches;
  return document.getElementById(touch ? "scroll" : "message") ?? document.getElementById("search") ?? document.getElementById("main");
}

export function tick(root = document) {
  for (const element of root.querySelectorAll(".elapsed[data-since]")) {
    element.textContent = lasted(Date.now() - skew - Number(element.dataset.since));
  }
}

document.addEventListener("toggle", (event) => {
  const fold = event.target;
  if (!(fold instanceof HTMLDetailsElement)) return;
  if ("remember" in fold.dataset) remember(fold);
  if (fold.open && fold.dataset.load) load(fold);
  if (fold.open && fold.dataset.part) loadPart(fold);
}, true);

setInterval(tick, 1000);

function remember(fold) {
  folds.delete(fold.id);
  folds.set(fold.id, fold.open);
  localStorage.setItem(KEY, JSON.stringify([...folds].slice(-KEPT)));
}

async function load(fold) {
  const text = await plain(fold.dataset.load).catch((error) => error.message);
  fold.querySelector("pre").textContent = text;
}

async function loadPart(fold) {
  const body = fold.querySelector(".step-body");
  const found = await part(fold.dataset.part).catch((error) => error.message);
  body.replaceChildren(found);
  dress(body);
}

function copyButton(code) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = say("copy");
  button.addEventListener("click", async () => {
    await copy(code.querySelector("code").textContent);
    button.textContent = say("copied");
    button.classList.add("done");
    setTimeout(() => {
      button.textContent = say("copy");
      button.classList.remove("done");
    }, 1500);
  });
  return button;
}

// The clipboard of the browser exists in secure places only; a hub on the local network is none.
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement("textarea"), { value: text, className: "visually-hidden" });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function clock(at) {
  const time = new Date(at);
  const today = new Date().toDateString() === time.toDateString();
  const day = today ? {} : { month: "short", day: "numeric" };
  return time.toLocaleString(document.documentElement.lang, { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}

function lasted(ms) {
  const seconds = Math.max(Math.floor(ms / 1000), 0);
  if (seconds < 60) return say("duration.s", { count: seconds });
  return say("duration.min", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}
