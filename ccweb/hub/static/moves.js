// Moving a task to another place: by keyboard, and what a drop does wherever it came from.
import { TaskState } from "/contract.js";
import { askToCancel, columns, explain, hold, refreshNow } from "./boardparts.js";
import { unfold } from "./columns.js";
import { moveTo } from "./reconcile.js";
import { post } from "./server.js";
import { announce } from "./toasts.js";
import { say } from "./words.js";

let lifted = null;
let moving = false;

columns.addEventListener("keydown", (event) => {
  const card = event.target.matches(".task-link") && event.target.closest(".task-card");
  if (!card || event.altKey || event.ctrlKey || event.metaKey) return;
  const done = lifted ? keyWhileLifted(event.key, card) : keyOnCard(event.key, card);
  if (done) event.preventDefault();
});

// Whoever goes elsewhere has given up the move.
columns.addEventListener("focusout", () => {
  if (lifted && !moving) putBack();
});

document.addEventListener("ccweb:board", oneStopAColumn);
columns.addEventListener("focusin", (event) => {
  if (event.target.matches(".task-link")) oneStop(event.target.closest(".task-cards"), event.target);
});
oneStopAColumn();

export function isFinal(card) {
  return "final" in card.dataset;
}

// The place of a card: its column, and the task that it stands before.
export function placeOf(card) {
  const column = card.closest(".column");
  let next = card.nextElementSibling;
  while (next && !next.matches(".task-card")) next = next.nextElementSibling;
  return { column, before: next?.dataset.task ?? column.dataset.next ?? "" };
}

// Sends a card that lies where it shall be; what the hub says in the end is what is shown.
export async function drop(card, from) {
  const to = placeOf(card);
  if (to.column === from.column && to.before === from.before) return hold(false);
  try {
    await send(card, to);
  } catch (error) {
    explain(error);
  } finally {
    hold(false);
    await refreshNow();
  }
}

export function wishToCancel(card, back) {
  back();
  hold(false);
  askToCancel({ task: card.dataset.task, at: card.dataset.at, title: titleOf(card) });
}

export function isForCancelled(column) {
  return column.dataset.state === TaskState.CANCELLED;
}

async function send(card, { column, before }) {
  const body = { expectedVersion: Number(card.dataset.at), columnId: column.dataset.column };
  if (before) body.beforeTaskId = before;
  const { version } = await post(`/tasks/${card.dataset.task}/move`, body);
  card.dataset.at = version;
  announce(say("task_dropped", place(card)));
}

function keyOnCard(key, card) {
  if (key === " ") lift(card);
  else if (key === "ArrowDown" || key === "ArrowUp") focusCard(neighbour(card, key));
  else if (key === "ArrowLeft" || key === "ArrowRight") focusCard(beside(card, key));
  else return false;
  return true;
}

function keyWhileLifted(key, card) {
  if (key === " " || key === "Enter") putDown();
  else if (key === "Escape") putBack();
  else if (key === "ArrowDown" || key === "ArrowUp") shift(card, key);
  else if (key === "ArrowLeft" || key === "ArrowRight") change(card, key);
  else return false;
  return true;
}

function lift(card) {
  if (isFinal(card)) return announce(say("task_final"));
  hold(true);
  lifted = { card, from: placeOf(card), list: card.parentElement, next: card.nextElementSibling };
  card.dataset.lifted = "";
  announce(say("task_lifted", place(card)));
}

function putDown() {
  const { card, from } = lifted;
  if (isForCancelled(card.closest(".column"))) return wishToCancel(card, putBack);
  release();
  drop(card, from);
}

function putBack() {
  const { card, list, next } = lifted;
  release();
  keep(() => moveTo(list, card, next));
  hold(false);
  announce(say("task_put_back", { title: titleOf(card) }));
}

function release() {
  delete lifted.card.dataset.lifted;
  lifted = null;
}

function shift(card, key) {
  const other = neighbour(card, key);
  if (!other) return;
  go(card, card.parentElement, key === "ArrowDown" ? other.nextElementSibling : other);
}

function change(card, key) {
  const column = nextColumn(card.closest(".column"), key);
  if (!column) return;
  unfold(column);
  const list = column.querySelector(".task-cards");
  go(card, list, list.children[[...card.parentElement.children].indexOf(card)] ?? null);
}

function go(card, list, before) {
  keep(() => moveTo(list, card, before));
  card.scrollIntoView({ block: "nearest", inline: "nearest" });
  announce(say("task_moves", place(card)));
}

// A card that moves loses its focus for a moment, which is no giving up.
function keep(move) {
  moving = true;
  move();
  moving = false;
}

function neighbour(card, key) {
  return key === "ArrowDown" ? card.nextElementSibling : card.previousElementSibling;
}

function nextColumn(column, key) {
  return key === "ArrowRight" ? column.nextElementSibling : column.previousElementSibling;
}

function beside(card, key) {
  const index = [...card.parentElement.children].indexOf(card);
  let column = nextColumn(card.closest(".column"), key);
  while (column) {
    const cards = "folded" in column.dataset ? [] : column.querySelectorAll(".task-card");
    if (cards.length) return cards[Math.min(index, cards.length - 1)];
    column = nextColumn(column, key);
  }
  return null;
}

function focusCard(card) {
  card?.querySelector(".task-link").focus();
}

function place(card) {
  const cards = [...card.parentElement.querySelectorAll(".task-card")];
  const column = card.closest(".column").dataset.title;
  return { title: titleOf(card), place: cards.indexOf(card) + 1, count: cards.length, column };
}

function titleOf(card) {
  return card.querySelector(".task-name").textContent;
}

// The tab key stops once in a column; arrows lead from card to card.
function oneStopAColumn() {
  for (const list of columns.querySelectorAll(".task-cards")) {
    oneStop(list, list.querySelector(".task-link[tabindex='0']") ?? list.querySelector(".task-link"));
  }
}

function oneStop(list, stop) {
  for (const link of list.querySelectorAll(".task-link")) link.tabIndex = link === stop ? 0 : -1;
}
