// A page of planning that shows one part and follows what happens: lists, runs and plans.
import "./dialogs.js";
import { follow } from "./feed.js";
import { EventKind } from "./kinds.js";
import { renewSlots, settle } from "./reconcile.js";
import { part } from "./server.js";

const REFRESH_MS = 150;
const AGING_MS = 30000;

const shell = document.getElementById("shell");
const main = document.getElementById("main");
let waiting = null;

const feed = follow({
  onEvent(event) {
    if (concerns(event)) refresh();
  },
  refresh,
});

document.addEventListener("change", (event) => {
  if ("filter" in event.target.dataset) event.target.form.requestSubmit();
});
setInterval(() => document.hidden || refresh(), AGING_MS);
settle(main);
feed.open();
document.body.dataset.live = "";

// The page names the kinds of events that may change it; of a run only its own calls do.
function concerns({ kind, runId }) {
  return shell.dataset.follow.split(" ").includes(kind) && (kind !== EventKind.RUN || runId === shell.dataset.run);
}

function refresh() {
  waiting ??= setTimeout(async () => {
    waiting = null;
    const found = await part(shell.dataset.part, Object.fromEntries(new URLSearchParams(location.search))).catch(() => null);
    if (found) renewSlots(main, found);
  }, REFRESH_MS);
}
