// The workspace: one feed keeps the list and the open conversation in step with the hub.
import { EventKind } from "./kinds.js";
import { follow } from "./feed.js";
import { Sidebar } from "./sidebar.js";
import { Timeline } from "./timeline.js";
import { refreshAnswer } from "./asks.js";
import { tell } from "./toasts.js";
import { say } from "./words.js";
import "./composer.js";
import "./dialogs.js";
import "./forms.js";
import "./lightbox.js";

const THEMES = ["auto", "light", "dark"];
const OF_OTHER_PAGES = [EventKind.BOARD, EventKind.BLUEPRINT, EventKind.RUN];

const shell = document.getElementById("shell");
const here = shell.dataset.conversation;
const sidebar = new Sidebar(here);
const timeline = here ? new Timeline(here, shell.dataset.title) : null;

const feed = follow({
  conversation: here,
  onEvent(event) {
    if (OF_OTHER_PAGES.includes(event.kind)) return;
    if (event.kind !== EventKind.DELTA && event.kind !== EventKind.STEP) sidebar.refresh();
    if (event.kind === EventKind.ASK) refreshAnswer();
    if (timeline?.concerns(event)) timeline.changed(event);
  },
  refresh: refreshAll,
  ask: () => sidebar.refresh(),
});

document.addEventListener("ccweb:sent", () => timeline.goToEnd());
document.getElementById("theme").addEventListener("click", nextTheme);
if (matchMedia("(hover: hover)").matches && here) document.getElementById("message").focus({ preventScroll: true });
feed.open();
document.body.dataset.live = "";

function refreshAll() {
  refreshAnswer();
  sidebar.refresh();
  timeline?.refresh();
}

function nextTheme() {
  const now = localStorage.getItem("ccweb:theme") ?? "auto";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next === "auto") {
    localStorage.removeItem("ccweb:theme");
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem("ccweb:theme", next);
    document.documentElement.dataset.theme = next;
  }
  tell(say(`theme.${next}`));
}
