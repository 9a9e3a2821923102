// One task over its board, with an address of its own: read, changed and talked about.
import { LinkKind } from "/contract.js";
import { askToCancel, board, explain, refresh } from "./boardparts.js";
import { openDialog } from "./dialogs.js";
import * as editing from "./taskedit.js";
import { renewSlots, settle } from "./reconcile.js";
import { part, post } from "./server.js";
import { Soon } from "./soon.js";
import { announce, complain } from "./toasts.js";
import { say } from "./words.js";

const PATH = /\/boards\/[^/]+\/tasks\/([^/]+)$/;
const dialog = document.getElementById("task");
const renewal = new Soon(fetchTask, 0);

document.addEventListener("click", (event) => {
  const link = event.target.closest(".task-link");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  visit(link);
});

dialog.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("closeTask" in button.dataset) dialog.close();
  else if (button.dataset.moveTo) move(button.dataset);
  else if ("cancelTask" in button.dataset) askToCancel(article().dataset);
  else if ("startTask" in button.dataset) start();
  else if (button.dataset.unlink) change("unlink", { kind: button.dataset.kind, id: button.dataset.unlink });
});

dialog.addEventListener("change", (event) => {
  const field = event.target;
  if ("assign" in field.dataset) change("", { assignee: field.value });
  else if ("link" in field.dataset && field.value) change("link", { kind: LinkKind.CONVERSATION, id: field.value });
});

dialog.addEventListener("submit", (event) => {
  if (event.target.id !== "task-comment") return;
  event.preventDefault();
  comment(event.target);
});

dialog.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form?.requestSubmit();
});

dialog.addEventListener("close", () => {
  const task = article()?.dataset.task;
  if (PATH.test(location.pathname)) leave();
  document.querySelector(`[id="task-${task}"] .task-link`)?.focus({ preventScroll: true });
});

addEventListener("popstate", () => {
  const task = PATH.exec(location.pathname)?.[1];
  if (task) show(task);
  else if (dialog.open) dialog.close();
});

if (dialog.hasAttribute("open")) {
  dialog.removeAttribute("open");
  settle(dialog);
  editing.begin(article());
  dialog.showModal();
}

export function openTask() {
  return dialog.open ? article()?.dataset.task : undefined;
}

export function refreshTask() {
  return renewal.now();
}

async function fetchTask() {
  const task = openTask();
  if (!task) return;
  const found = await part(`/parts/tasks/${task}`);
  if (openTask() !== task) return;
  const fresh = found.querySelector("[data-part=task]");
  if ("final" in fresh.dataset !== "final" in article().dataset) return fill(fresh);
  Object.assign(article().dataset, fresh.dataset);
  renewSlots(article(), fresh);
  editing.changed();
}

function article() {
  return dialog.querySelector("[data-part=task]");
}

async function visit(link) {
  const task = PATH.exec(new URL(link.href).pathname)[1];
  if (!(await show(task))) return;
  history.pushState({ opened: true }, "", `/boards/${board}/tasks/${task}${location.search}`);
}

async function show(task) {
  try {
    const found = await part(`/parts/tasks/${task}`);
    fill(found.querySelector("[data-part=task]"));
    if (!dialog.open) dialog.showModal();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function fill(content) {
  dialog.replaceChildren(content);
  settle(dialog);
  editing.begin(content);
}

function leave() {
  if (history.state?.opened) history.back();
  else history.replaceState(null, "", `/boards/${board}${location.search}`);
}

function move({ moveTo: columnId, before }) {
  for (const menu of dialog.querySelectorAll("details.menu[open]")) menu.open = false;
  return change("move", before ? { columnId, beforeTaskId: before } : { columnId });
}

// Every change names the version that the person has seen.
async function change(what, body) {
  const { task, at } = article().dataset;
  try {
    await post(`/tasks/${task}${what && `/${what}`}`, { expectedVersion: Number(at), ...body });
    announce(say("task_saved"));
  } catch (error) {
    explain(error);
  }
  refresh();
  await refreshTask();
}

async function comment(form) {
  const text = form.elements.text.value;
  if (!text.trim() || form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  try {
    await post(`/tasks/${openTask()}/comment`, { text });
    form.elements.text.value = "";
    editing.forget("comment");
    announce(say("task_commented"));
  } catch (error) {
    complain(error);
  } finally {
    form.ariaBusy = null;
  }
  refresh();
  await refreshTask();
}

function start() {
  document.querySelector("#new-conversation form").dataset.submit = `/tasks/${openTask()}/start`;
  openDialog("new-conversation");
}

for (const other of document.querySelectorAll("#cancel-task, #new-conversation")) {
  other.addEventListener("close", refreshTask);
}
