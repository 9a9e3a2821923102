// Dragging a card with a mouse, a pen or a finger; a finger rests on it first, so that it can scroll.
import { columns, hold } from "./boardparts.js";
import { drop, isFinal, isForCancelled, placeOf, wishToCancel } from "./moves.js";
import { moveTo } from "./reconcile.js";

const MOUSE_PX = 5;
const TOUCH_PX = 10;
const REST_MS = 350;
const EDGE_PX = 56;
const SCROLL_PX = 14;

let pressed = null;
let drag = null;
let justDropped = false;

columns.addEventListener("pointerdown", press);
addEventListener("pointermove", (event) => (drag ? move(event) : mayBegin(event)));
addEventListener("pointerup", (event) => (drag && event.pointerId === drag.pointer ? finish() : forget()));
addEventListener("pointercancel", () => (drag ? giveUp() : forget()));
addEventListener("keydown", (event) => {
  if (!drag || event.key !== "Escape") return;
  event.preventDefault();
  giveUp();
}, { capture: true });
addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false });
addEventListener("blur", () => drag && giveUp());
columns.addEventListener("dragstart", (event) => event.preventDefault());
columns.addEventListener("contextmenu", (event) => {
  if (drag || pressed?.timer) event.preventDefault();
});
// The press that dragged is no press on the link.
addEventListener("click", (event) => {
  if (!justDropped) return;
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });

function press(event) {
  const card = event.target.closest(".task-card");
  if (!card || event.button !== 0 || !event.isPrimary || isFinal(card)) return;
  forget();
  pressed = { card, x: event.clientX, y: event.clientY, pointer: event.pointerId, touch: event.pointerType === "touch" };
  if (pressed.touch) pressed.timer = setTimeout(begin, REST_MS);
}

function mayBegin(event) {
  if (!pressed || event.pointerId !== pressed.pointer) return;
  const way = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
  if (pressed.touch && way > TOUCH_PX) forget();
  else if (!pressed.touch && way > MOUSE_PX) {
    begin();
    move(event);
  }
}

function forget() {
  clearTimeout(pressed?.timer);
  pressed = null;
}

function begin() {
  const { card, x, y, pointer } = pressed;
  forget();
  if (!card.isConnected) return;
  const box = card.getBoundingClientRect();
  const mark = Object.assign(document.createElement("li"), { className: "task-mark", ariaHidden: "true" });
  mark.style.height = `${box.height}px`;
  drag = { card, pointer, mark, x, y, from: placeOf(card), ghost: ghostOf(card, box), dx: x - box.left, dy: y - box.top };
  hold(true);
  card.dataset.dragged = "";
  document.body.dataset.dragging = "";
  follow();
  scrollAtEdges();
}

function ghostOf(card, box) {
  const ghost = card.cloneNode(true);
  ghost.removeAttribute("id");
  ghost.ariaHidden = "true";
  ghost.inert = true;
  ghost.classList.add("task-ghost");
  ghost.style.width = `${box.width}px`;
  document.body.append(ghost);
  return ghost;
}

function move(event) {
  if (event.pointerId !== drag.pointer) return;
  drag.x = event.clientX;
  drag.y = event.clientY;
  follow();
}

function follow() {
  const { ghost, mark, card, x, y, dx, dy } = drag;
  ghost.style.transform = `translate(${x - dx}px, ${y - dy}px)`;
  const column = document.elementFromPoint(x, y)?.closest(".column");
  if (!column) return;
  aim(column);
  const cards = [...column.querySelectorAll(".task-card")].filter((other) => other !== card);
  const below = cards.find((other) => middle(other) > y) ?? null;
  column.querySelector(".task-cards").insertBefore(mark, below);
}

function aim(column) {
  if (drag.column === column) return;
  delete drag.column?.dataset.target;
  drag.column = column;
  column.dataset.target = "";
}

function middle(card) {
  const box = card.getBoundingClientRect();
  return box.top + box.height / 2;
}

function scrollAtEdges() {
  if (!drag) return;
  const body = drag.column?.querySelector(".column-body");
  const across = towardsEdge(drag.x, columns.getBoundingClientRect(), "left", "right");
  if (across) columns.scrollLeft += across * SCROLL_PX;
  else if (body) body.scrollTop += towardsEdge(drag.y, body.getBoundingClientRect(), "top", "bottom") * SCROLL_PX;
  follow();
  requestAnimationFrame(scrollAtEdges);
}

function towardsEdge(at, box, start, end) {
  if (at < box[start] + EDGE_PX) return -1;
  return at > box[end] - EDGE_PX ? 1 : 0;
}

function finish() {
  const { card, mark, from, column } = drag;
  const list = mark.parentElement;
  if (list && column && !(isForCancelled(column) && column !== from.column)) moveTo(list, card, mark);
  clear();
  if (column && isForCancelled(column)) wishToCancel(card, () => {});
  else drop(card, from);
}

function giveUp() {
  clear();
  hold(false);
}

function clear() {
  const { card, ghost, mark, column } = drag;
  ghost.remove();
  mark.remove();
  delete card.dataset.dragged;
  delete column?.dataset.target;
  delete document.body.dataset.dragging;
  drag = null;
  justDropped = true;
  setTimeout(() => (justDropped = false));
}
