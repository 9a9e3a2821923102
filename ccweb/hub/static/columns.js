// What a person does with columns: fold, leaf through, add to, change.
import { board, columns, refreshNow, showMore } from "./boardparts.js";
import { openDialog } from "./dialogs.js";
import { post } from "./server.js";
import { announce, complain, tell } from "./toasts.js";
import { say } from "./words.js";

const KEY = "ccweb:board-folds";
const NEAR_END = 200;
const folds = new Map(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
const byDefault = new WeakMap();

document.addEventListener("click", (event) => {
  const button = event.target.closest("button, .board-tabs a");
  if (!button) return;
  if ("fold" in button.dataset) {
    fold(button.closest(".column"));
    button.closest(".column").scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  else if (button.dataset.more) showMore(button.dataset.more);
  else if ("newColumn" in button.dataset) editColumn({});
  else if (button.dataset.editColumn) editColumn(button.dataset);
  else if (button.dataset.tab) leaf(event, button.dataset.tab);
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".new-task")) return;
  event.preventDefault();
  add(event.target);
});

columns.addEventListener("scroll", (event) => {
  const body = event.target;
  if (body === columns) showTab();
  else if (body.scrollHeight - body.scrollTop - body.clientHeight < NEAR_END) body.querySelector("[data-more]")?.click();
}, { capture: true, passive: true });

document.addEventListener("ccweb:board", show);
addEventListener("resize", showTab);
show();

export function unfold(column) {
  if ("folded" in column.dataset) fold(column);
}

function show() {
  for (const column of columns.children) showFold(column);
  showTab();
}

function showFold(column) {
  if (!byDefault.has(column)) byDefault.set(column, "folded" in column.dataset);
  const folded = folds.get(column.dataset.column) ?? byDefault.get(column);
  column.toggleAttribute("data-folded", folded);
  column.querySelector("[data-fold]").ariaExpanded = String(!folded);
}

function fold(column) {
  folds.set(column.dataset.column, !("folded" in column.dataset));
  localStorage.setItem(KEY, JSON.stringify([...folds].slice(-200)));
  showFold(column);
}

function leaf(event, column) {
  event.preventDefault();
  columns.scrollTo({ left: document.getElementById(`column-${column}`).offsetLeft - columns.offsetLeft });
}

// On a phone one column is in view at a time; its name among all is marked.
function showTab() {
  const middle = columns.scrollLeft + columns.clientWidth / 2 + columns.offsetLeft;
  const now = [...columns.children].find((column) => column.offsetLeft + column.offsetWidth > middle);
  for (const tab of document.querySelectorAll(".board-tabs a")) {
    const current = tab.dataset.tab === now?.dataset.column;
    if (current === tab.hasAttribute("aria-current")) continue;
    tab.toggleAttribute("aria-current", current);
    if (current) tab.parentElement.scrollTo({ left: tab.offsetLeft - tab.parentElement.clientWidth / 3 });
  }
}

async function add(form) {
  const field = form.elements.title;
  const title = field.value.trim();
  if (!title || form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  try {
    const { taskId } = await post(`/boards/${board}/tasks`, { title, columnId: form.dataset.newTask });
    field.value = "";
    refreshNow().then(() => showAdded(taskId, title)); // the next one can be written meanwhile
  } catch (error) {
    complain(error);
  } finally {
    form.ariaBusy = null;
  }
}

function showAdded(task, title) {
  const card = document.getElementById(`task-${task}`);
  if (!card) return tell(say("task_added_elsewhere"));
  card.scrollIntoView({ block: "nearest" });
  announce(say("task_added", { title }));
}

function editColumn({ editColumn: column, name = "", description = "", state, at = "0", tasks = "0" }) {
  const form = document.querySelector("#column form");
  const { title, state: states, expectedVersion } = form.elements;
  form.reset();
  form.dataset.submit = column ? `/columns/${column}` : `/boards/${board}/columns`;
  title.value = name;
  form.elements.description.value = description;
  if (state) states.value = state;
  expectedVersion.value = at;
  states.disabled = tasks !== "0";
  showWords(form, Boolean(column), states.disabled);
  openDialog("column");
}

function showWords(form, edits, stateIsHeld) {
  const heading = form.querySelector("h2");
  const hint = document.getElementById("column-state-hint");
  heading.textContent = edits ? heading.dataset.edit : heading.dataset.new;
  hint.textContent = stateIsHeld ? hint.dataset.held : hint.dataset.free;
}

for (const dialog of document.querySelectorAll("#column, #cancel-task, #new-conversation")) {
  dialog.addEventListener("close", () => refreshNow());
}
