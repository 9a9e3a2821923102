// One blueprint: followed live, and decided on by a person, who always names what was shown.
import { openDialog } from "./dialogs.js";
import { follow } from "./feed.js";
import { EventKind } from "./kinds.js";
import { renewSlots, settle } from "./reconcile.js";
import { part, post } from "./server.js";
import { Soon } from "./soon.js";
import { announce, complain, inWords, tell } from "./toasts.js";
import { say } from "./words.js";

const REFRESH_MS = 120;
const OF_CONVERSATIONS = [EventKind.TURN, EventKind.ASK, EventKind.CONVERSATION];
const NAMED = ["versionId", "contentHash", "planId"];

const shell = document.getElementById("shell");
const main = document.getElementById("main");
const path = `/blueprints/${shell.dataset.blueprint}`;
const renewal = new Soon(take, REFRESH_MS);

const feed = follow({
  onEvent(event) {
    if (concerns(event)) renewal.wish();
  },
  refresh: () => renewal.wish(),
});

settle(main);
feed.open();
document.body.dataset.live = "";

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.planDialog) decide(button.dataset.planDialog);
  else if (button && "research" in button.dataset) askToResearch(button);
  else if (button?.dataset.code) askToCode(button.dataset);
});

// These forms say more of a refusal than others, so they are posted here.
for (const form of document.querySelectorAll("form[data-to]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopPropagation();
    submit(form);
  });
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-answer-to]")) return;
  event.preventDefault();
  answer(event.target);
});

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !field.form) return;
  field.form.requestSubmit();
});

function here() {
  return main.querySelector("[data-part=blueprint]");
}

function concerns(event) {
  if (event.kind === EventKind.BLUEPRINT) return event.artifactId === shell.dataset.blueprint;
  if (event.kind === EventKind.BOARD) return event.taskId === here().dataset.item;
  return OF_CONVERSATIONS.includes(event.kind) && here().dataset.conversations.split(" ").includes(event.conversationId);
}

// The text that a person reads stays: a newer one is told of, and shown when they ask for it.
async function take() {
  const asked = Object.fromEntries(new URLSearchParams(location.search));
  if (here().dataset.number) asked.version = here().dataset.number;
  const found = await part(`/parts${path}`, asked);
  const fresh = found.querySelector("[data-part=blueprint]");
  if (fresh.dataset.status !== here().dataset.status) announce(fresh.dataset.status);
  Object.assign(here().dataset, fresh.dataset);
  renewSlots(here(), fresh);
}

function decide(id) {
  const shown = main.querySelector(".plan-shown").dataset;
  const form = document.querySelector(`#${id} form`);
  for (const name of NAMED) form.elements[name].value = shown[name];
  for (const place of form.querySelectorAll("[data-show]")) place.textContent = shown[place.dataset.show];
  open(id);
}

function askToResearch({ dataset, textContent }) {
  const form = document.querySelector("#research form");
  form.elements.repositoryId.value = dataset.research;
  const what = form.querySelector(".plan-what");
  what.textContent = dataset.name ?? what.dataset.all;
  const how = document.getElementById("research-again-text");
  how.textContent = "first" in dataset ? how.dataset.first : how.dataset.again;
  for (const called of form.querySelectorAll("h2, [type=submit]")) called.textContent = textContent;
  open("research");
}

function askToCode({ code, name, path: folder, agent }) {
  const form = document.querySelector("#code form");
  form.elements.repositoryId.value = code;
  form.querySelector(".plan-what").textContent = `${agent} → ${name} (${folder})`;
  open("code");
}

function open(id) {
  document.querySelector(`#${id} .plan-refusal a`).hidden = true;
  openDialog(id);
}

async function submit(form) {
  const button = form.querySelector("[type=submit]");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    await post(form.dataset.to, Object.fromEntries(new FormData(form)));
    form.closest("dialog").close();
    form.reset();
    tell(say(form.dataset.done));
    showPresent();
  } catch (error) {
    refuse(form.querySelector(".plan-refusal"), error);
  } finally {
    button.ariaBusy = null;
  }
}

// What follows a decision is the present state, whichever text was looked at before.
async function showPresent() {
  history.replaceState(null, "", path);
  delete here().dataset.number;
  await renewal.now();
}

function refuse(line, error) {
  line.querySelector("p").textContent = inWords(error);
  line.querySelector("a").hidden = error.status !== 409;
  line.hidden = false;
}

async function answer(form) {
  const button = form.querySelector("[type=submit]");
  const body = new FormData(form).getAll("body").join("\n");
  const line = form.querySelector(".form-error");
  if (!body.trim()) return complainIn(line, say("bp_choose"));
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    await post(form.dataset.answerTo, { body });
    announce(say("answered"));
    await renewal.now();
    next();
  } catch (error) {
    complainIn(line, inWords(error));
    renewal.wish();
  } finally {
    button.ariaBusy = null;
  }
}

// After an answer a person goes on with the next question, or with the text that was written.
function next() {
  const question = main.querySelector(".plan-question :is(input, textarea)");
  if (question) question.focus();
  else main.focus();
}

function complainIn(line, text) {
  if (!line.isConnected) return complain(new Error(text));
  line.textContent = text;
  line.hidden = false;
}
