// A page of planning that shows one part and follows what happens: lists, runs and plans.
import "./dialogs.js";
import { follow } from "./feed.js";
import { EventKind } from "./kinds.js";
import { renewSlots, settle } from "./reconcile.js";
import { part } from "./server.js";
import { Soon } from "./soon.js";

const REFRESH_MS = 150;
const AGING_MS = 30000;

const shell = document.getElementById("shell");
const main = document.getElementById("main");
const renewal = new Soon(refresh, REFRESH_MS);

const feed = follow({
  onEvent(event) {
    if (concerns(event)) renewal.wish();
  },
  refresh: () => renewal.wish(),
});

document.addEventListener("change", (event) => {
  if ("filter" in event.target.dataset) event.target.form.requestSubmit();
});
setInterval(() => document.hidden || renewal.wish(), AGING_MS);
settle(main);
feed.open();
document.body.dataset.live = "";

// The page names the kinds of events that may change it; of a run only its own calls do.
function concerns({ kind, runId }) {
  return shell.dataset.follow.split(" ").includes(kind) && (kind !== EventKind.RUN || runId === shell.dataset.run);
}

async function refresh() {
  const found = await part(shell.dataset.part, Object.fromEntries(new URLSearchParams(location.search)));
  renewSlots(main, found);
}
