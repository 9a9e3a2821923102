// The columns and cards of one board: what is asked for, and how an answer is taken in.
import { ErrorCode } from "/contract.js";
import { openDialog } from "./dialogs.js";
import { renew, renewSlots, reorder, settle } from "./reconcile.js";
import { part } from "./server.js";
import { Soon } from "./soon.js";
import { complain } from "./toasts.js";
import { say } from "./words.js";

const REFRESH_MS = 120;
const PAGE = 50;

const holder = document.getElementById("board");
const filter = document.getElementById("filter");
const limits = new Map();
const renewal = new Soon(fetchParts, REFRESH_MS);
let held = false;
let missed = false;
let grips = 0;

export const board = document.getElementById("shell").dataset.board;
export const columns = document.getElementById("columns");

// Something has happened; several things in a row are fetched together.
export function refresh() {
  renewal.wish();
}

export function refreshNow() {
  return renewal.now();
}

// While a card is in a person's hand nothing moves under it.
export function hold(on) {
  held = on;
  if (held) grips += 1;
  else if (missed) refresh();
}

// Asked again before the answer is here, it is the same page.
export function showMore(column) {
  const shown = Number(document.getElementById(`column-${column}`).dataset.shown);
  limits.set(column, Math.max(limits.get(column) ?? 0, shown + PAGE));
  return refreshNow();
}

export function wanted() {
  const chosen = [...new FormData(filter)].filter(([, value]) => value.trim());
  return new URLSearchParams(chosen);
}

// What another has changed is no fault of anybody: it is said, and then shown.
export function explain(error) {
  complain(error.code === ErrorCode.CONFLICT ? { message: say("board_conflict") } : error);
}

// Cancelling is final, so a person is asked first, wherever the wish came from.
export function askToCancel({ task, at, title }) {
  const form = document.querySelector("#cancel-task form");
  form.reset();
  form.dataset.submit = `/tasks/${task}/cancel`;
  form.elements.expectedVersion.value = at;
  form.querySelector(".cancel-name").textContent = title;
  openDialog("cancel-task");
}

async function fetchParts() {
  missed = held;
  if (held) return;
  const begun = grips;
  const limit = [...limits].map(([column, count]) => `${column}:${count}`).join(",");
  const asked = { ...Object.fromEntries(wanted()), limit };
  const found = await part(`/parts/boards/${board}`, asked).catch((error) => {
    if (error.status === 404) location.reload();
    throw error;
  });
  if (held) missed = true;
  else if (begun !== grips) refresh(); // it knows nothing of what was dropped meanwhile
  else take(found);
}

function take(found) {
  const fresh = found.querySelector("#columns");
  for (const slot of ["tabs", "hint"]) {
    renew(holder.querySelector(`:scope > [data-slot="${slot}"]`), found.querySelector(`[data-slot="${slot}"]`));
  }
  const lists = [...fresh.children].map((column) => [document.getElementById(`cards-${column.dataset.column}`), column.querySelector(".task-cards")]);
  reorder(lists.filter(([list]) => list), renew);
  reorder([[columns, fresh]], renewColumn);
  document.dispatchEvent(new CustomEvent("ccweb:board"));
}

function renewColumn(column, fresh) {
  const { folded, ...told } = fresh.dataset;
  Object.assign(column.dataset, told);
  renewSlots(column, fresh);
}

settle(holder);
