// Brings what a page shows up to date piece by piece: what has not changed stays as it is, with its
// focus, its scroll place and what is being done with it.
import { dress, refill, remove } from "./dress.js";

const PIECES = "[data-slot], li[data-task]";
const arrived = new WeakMap();

// Notes what the pieces of a new part look like before anything is added to them.
export function settle(root) {
  for (const piece of root.querySelectorAll(PIECES)) arrived.set(piece, piece.innerHTML);
  dress(root);
}

export function renew(piece, fresh) {
  const html = fresh.innerHTML;
  Object.assign(piece.dataset, fresh.dataset);
  piece.hidden = fresh.hidden;
  if (arrived.get(piece) === html) return;
  arrived.set(piece, html);
  refill(piece, fresh);
}

export function renewSlots(holder, fresh) {
  for (const slot of fresh.querySelectorAll("[data-slot]")) {
    const piece = holder.querySelector(`[data-slot="${slot.dataset.slot}"]`);
    if (piece) renew(piece, slot);
  }
}

// Puts what is here into the order of what has come, in all lists before anything goes: what has
// changed its list is moved, not made anew.
export function reorder(pairs, update) {
  const wanted = new Set(pairs.flatMap(([, fresh]) => [...fresh.children].map((child) => child.id)));
  for (const [list, fresh] of pairs) arrange(list, [...fresh.children], wanted, update);
  for (const [list] of pairs) {
    for (const child of [...list.children]) if (!wanted.has(child.id)) remove(child);
  }
}

function arrange(list, incoming, wanted, update) {
  let cursor = list.firstElementChild;
  for (const fresh of incoming) {
    while (cursor && !wanted.has(cursor.id)) cursor = cursor.nextElementSibling;
    const old = document.getElementById(fresh.id);
    if (old && old === cursor) cursor = cursor.nextElementSibling;
    else if (old) moveTo(list, old, cursor);
    if (old) update(old, fresh);
    else insert(list, fresh, cursor);
  }
}

function insert(list, fresh, cursor) {
  list.insertBefore(fresh, cursor);
  if (fresh.matches(PIECES)) arrived.set(fresh, fresh.innerHTML);
  settle(fresh);
}

// Moving an element takes the focus from it.
export function moveTo(list, element, before) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  list.insertBefore(element, before);
  focused?.focus({ preventScroll: true });
}
