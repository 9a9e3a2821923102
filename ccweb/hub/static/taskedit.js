// Writing in a task: what is typed outlives a closed panel, and nobody's words are overwritten unseen.
import { ErrorCode } from "/contract.js";
import { post } from "./server.js";
import { announce, complain } from "./toasts.js";
import { explain, refresh } from "./boardparts.js";
import { refreshTask } from "./task.js";
import { say } from "./words.js";

const dialog = document.getElementById("task");
let task = null;
let base = null;

dialog.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("editTask" in button.dataset) open(seen());
  else if ("leaveEdit" in button.dataset || "takeTheirs" in button.dataset) close();
  else if ("keepMine" in button.dataset) keepMine();
});

dialog.addEventListener("submit", (event) => {
  if (event.target.id !== "task-edit") return;
  event.preventDefault();
  save();
});

dialog.addEventListener("input", (event) => {
  const form = event.target.form;
  if (form?.id === "task-edit") keep("edit", JSON.stringify({ base, title: form.elements.title.value, text: form.elements.text.value }));
  else if (form?.id === "task-comment") keep("comment", event.target.value);
});

// Takes up what the person had begun to write in this task.
export function begin(article) {
  task = article;
  base = null;
  const noted = kept("comment");
  const comment = form("task-comment");
  if (comment && noted) comment.elements.text.value = noted;
  const begun = form("task-edit") && JSON.parse(kept("edit") ?? "null");
  if (!begun) return;
  open(begun.base);
  form("task-edit").elements.title.value = begun.title;
  form("task-edit").elements.text.value = begun.text;
  changed();
}

// The task is another now: who is writing learns of it only when the words have changed.
export function changed() {
  if (!base) return;
  const theirs = seen();
  if (theirs.title === base.title && theirs.text === base.text) base = theirs;
  else showTheirs(theirs);
}

export function forget(what) {
  sessionStorage.removeItem(key(what));
}

function open(from) {
  base = from;
  const fields = form("task-edit");
  fields.elements.title.value = base.title;
  fields.elements.text.value = base.text;
  fields.querySelector(".task-conflict").hidden = true;
  fields.hidden = false;
  task.dataset.editing = "";
  fields.elements.title.focus();
}

function close() {
  base = null;
  forget("edit");
  form("task-edit").hidden = true;
  delete task.dataset.editing;
  task.querySelector("[data-edit-task]")?.focus();
}

function showTheirs(theirs) {
  const block = form("task-edit").querySelector(".task-conflict");
  for (const name of ["title", "text"]) {
    const line = block.querySelector(`[data-theirs="${name}"]`);
    line.textContent = theirs[name];
    line.hidden = theirs[name] === base[name];
  }
  block.hidden = false;
}

function keepMine() {
  base = seen();
  form("task-edit").querySelector(".task-conflict").hidden = true;
  save();
}

async function save(again = false) {
  const fields = form("task-edit");
  if (!fields.querySelector(".task-conflict").hidden) return announce(say("task_conflict"));
  const mine = { title: fields.elements.title.value.trim(), text: fields.elements.text.value };
  const body = { expectedVersion: base.version };
  for (const name of ["title", "text"]) if (mine[name] !== base[name]) body[name] = mine[name];
  try {
    if (Object.keys(body).length > 1) await post(`/tasks/${task.dataset.task}`, body);
  } catch (error) {
    return refused(error, again);
  }
  close();
  announce(say("task_saved"));
  refresh();
  await refreshTask();
}

// Another's change of something else is no reason to refuse these words: they are sent once more.
async function refused(error, again) {
  if (error.code !== ErrorCode.CONFLICT) return complain(error);
  await refreshTask();
  if (form("task-edit").querySelector(".task-conflict").hidden && !again) return save(true);
  explain(error);
}

function seen() {
  const raw = (name) => task.querySelector(`[data-raw="${name}"]`).textContent;
  return { version: Number(task.dataset.at), title: raw("title"), text: raw("text") };
}

function form(id) {
  return task.querySelector(`#${id}`);
}

function key(what) {
  return `ccweb:task:${task.dataset.task}:${what}`;
}

function keep(what, value) {
  sessionStorage.setItem(key(what), value);
}

function kept(what) {
  return sessionStorage.getItem(key(what));
}
