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
  const wanted = ids(pairs.flatMap(([, fresh]) => [...fresh.children]));
  for (const [list, fresh] of pairs) {
    arrange(list, [...fresh.children], { from: list.firstElementChild, wanted, update, added: isNew });
  }
  for (const [list] of pairs) {
    for (const child of [...list.children]) if (!wanted.has(child.id)) remove(child);
  }
}

// Brings a list into the order of what has come, beginning at one of its children. What stays is not
// moved past what goes: moving takes the focus away, and what a person is writing in with it.
export function arrange(list, incoming, { from, wanted = ids(incoming), update, added }) {
  let cursor = from;
  for (const fresh of incoming) {
    while (cursor && !wanted.has(cursor.id)) cursor = cursor.nextElementSibling;
    const old = document.getElementById(fresh.id);
    if (old && old === cursor) cursor = cursor.nextElementSibling;
    else if (old) moveTo(list, old, cursor);
    else list.insertBefore(fresh, cursor);
    if (old) update(old, fresh);
    else added(fresh);
  }
}

export function ids(elements) {
  return new Set(elements.map((element) => element.id));
}

function isNew(fresh) {
  if (fresh.matches(PIECES)) arrived.set(fresh, fresh.innerHTML);
  settle(fresh);
}

// Moving an element takes the focus from it.
export function moveTo(list, element, before) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  list.insertBefore(element, before);
  focused?.focus({ preventScroll: true });
}
