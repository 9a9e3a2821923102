// Dialogs, menus, and every button that posts one action.
import { copy } from "./dress.js";
import { part, post } from "./server.js";
import { complain, tell } from "./toasts.js";
import { say } from "./words.js";

const OFFER_MS = 1000;

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) || button) close(menu);
  }
  if (!button) return;
  if (button.dataset.post) act(button);
  else if (button.dataset.dialog) openDialog(button.dataset.dialog);
  else if (button.dataset.cancel) openCancel(button.dataset.cancel);
  else if (button.dataset.copy) copy(button.dataset.copy).then(() => tell(say("copied")));
  else if ("close" in button.dataset) button.closest("dialog").close();
  else if (button.dataset.write) document.querySelector("ccweb-composer").write(button.dataset.write);
});

// Outside a dialog is its backdrop. A press counts, not a click: a selection may end out there.
document.addEventListener("mousedown", (event) => {
  if (event.target instanceof HTMLDialogElement) event.target.close();
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  event.preventDefault(); // a dialog around it stays
  close(menu);
});

// What had the focus in a menu is out of reach when the menu is closed.
function close(menu) {
  if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  menu.open = false;
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".dialog-form")) return;
  event.preventDefault();
  submit(event.target);
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.name === "permissionMode") showMeaning(field);
  else if (field.name === "agent") showSettings(field.closest("form"));
  else if (field.name === "model") showEfforts(field);
});

function showMeaning(select) {
  const chosen = select.selectedOptions[0];
  const hint = select.closest("label").querySelector(".mode-hint");
  hint.textContent = chosen.dataset.warning ?? chosen.dataset.meaning;
  hint.classList.toggle("warns", "warning" in chosen.dataset);
}

// Each agent has settings of its own; those of the others are not sent.
function showSettings(form) {
  const agent = form.querySelector("[name=agent]:checked")?.value;
  for (const settings of form.querySelectorAll(".agent-settings")) {
    settings.hidden = settings.disabled = settings.dataset.agent !== agent;
  }
}

// A model that cannot be told how much to think, or not so, is not offered that.
function showEfforts(select) {
  const efforts = select.closest("fieldset, form").querySelector("[name=effort]");
  for (const option of efforts?.options ?? []) {
    const fits = !option.value || !select.value || option.dataset.models.split(" ").includes(select.value);
    option.hidden = option.disabled = !fits;
    if (!fits && option.selected) efforts.value = "";
  }
}

// A disabled button would lose the focus, so a busy one only says so.
async function act(button) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    await post(button.dataset.post, JSON.parse(button.dataset.body ?? "{}"));
    if (button.dataset.go) return location.assign(button.dataset.go);
    if (button.dataset.done) tell(say(button.dataset.done));
    if ("removes" in button.dataset) button.closest("li").remove();
  } catch (error) {
    complain(error);
  } finally {
    button.ariaBusy = null;
  }
}

export function openDialog(id) {
  const dialog = document.getElementById(id);
  const form = dialog.querySelector("form");
  form.querySelector(".form-error").hidden = true;
  if (id === "rename") form.elements.title.value = document.querySelector(".head").dataset.title;
  if (id === "new-conversation") showAgents(dialog);
  if (form.dataset.loadForm) showForm(form);
  dialog.showModal();
}

// Hosts come and go: the agents that they offer are asked for when it matters, until there is one.
async function showAgents(dialog) {
  const choices = document.getElementById("agent-choices");
  const found = await part("/parts/agents").catch(() => null);
  if (found) {
    const own = choices.querySelector("[name=agent]:checked");
    const chosen = own && !own.defaultChecked && own.value; // not what the form was drawn with
    choices.replaceChildren(found);
    const again = chosen && choices.querySelector(`[value="${chosen}"]:enabled`);
    if (again) again.checked = true;
    showSettings(dialog);
  }
  if (dialog.open && !choices.querySelector(":enabled")) setTimeout(showAgents, OFFER_MS, dialog);
}

async function showForm(form) {
  const fields = form.querySelector(".form-fields");
  try {
    fields.replaceChildren(await part(form.dataset.loadForm));
    const model = fields.querySelector("[name=model]");
    if (model) showEfforts(model);
  } catch (error) {
    fields.textContent = error.message;
  }
}

function openCancel(requestId) {
  document.querySelector("#cancel form").dataset.submit = `/requests/${requestId}/cancel`;
  openDialog("cancel");
}

async function submit(form) {
  const submitter = form.querySelector("[type=submit]");
  submitter.disabled = true;
  try {
    const { url } = await post(form.dataset.submit, fields(form));
    if (form.dataset.goTo) return location.assign(url);
    form.closest("dialog").close();
    if (form.dataset.done) tell(say(form.dataset.done));
  } catch (error) {
    const line = form.querySelector(".form-error");
    line.textContent = error.message;
    line.hidden = false;
  } finally {
    submitter.disabled = false;
  }
}

function fields(form) {
  const body = Object.fromEntries(new FormData(form));
  for (const box of form.querySelectorAll("input[type=checkbox]")) body[box.name] = box.checked;
  for (const field of form.querySelectorAll("[data-number]")) body[field.name] = Number(field.value);
  return body;
}
