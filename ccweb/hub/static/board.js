// A board: one feed keeps its columns, the open task and the states of conversations in step.
import { board, refresh, refreshNow, wanted } from "./boardparts.js";
import "./columns.js";
import "./drag.js";
import { follow } from "./feed.js";
import { EventKind } from "./kinds.js";
import { openTask, refreshTask } from "./task.js";

const TYPING_MS = 150;
const OF_CONVERSATIONS = [EventKind.TURN, EventKind.ASK, EventKind.CONVERSATION];

const filter = document.getElementById("filter");
let typing = 0;

const feed = follow({
  onEvent(event) {
    if (event.kind === EventKind.BOARD) changed(event);
    else if (OF_CONVERSATIONS.includes(event.kind) && shows(event.conversationId)) refreshAll();
  },
  refresh: refreshAll,
  ask: () => refresh(),
});

filter.addEventListener("submit", (event) => {
  event.preventDefault();
  find();
});
filter.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(find, TYPING_MS);
});
feed.open();
document.body.dataset.live = "";

function changed(event) {
  if (event.boardId !== board) return;
  refresh();
  if (event.taskId === openTask()) refreshTask();
}

function shows(conversation) {
  return document.querySelector(`[data-conversation="${CSS.escape(conversation)}"]`) !== null;
}

function refreshAll() {
  refresh();
  refreshTask();
}

// What is looked for stands in the address, so that it can be kept and passed on.
function find() {
  clearTimeout(typing);
  const query = wanted().toString();
  history.replaceState(history.state, "", query ? `?${query}` : location.pathname);
  refreshNow();
}
