// Answers to agents: from the conversation, from the card of a request, or from the list of what needs you.
import { PermissionAnswer } from "/contract.js";
import { dress, refill } from "./dress.js";
import { part, post } from "./server.js";
import { announce, complain, tell } from "./toasts.js";
import { say } from "./words.js";

const dialog = document.getElementById("answer");
let shown = null;

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const form = button.closest(".ask-form");
  if (form && button.type !== "submit" && button.dataset.decision) decide(form, button.dataset.decision);
  else if (form && "decline" in button.dataset) answer(form, {});
  else if (button.dataset.ask) open(button.dataset.ask);
});

// Enter in the note denies: only a press of its own button permits anything.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(".ask-form")) return;
  event.preventDefault();
  if (form.elements.note) return decide(form, PermissionAnswer.DENY);
  const answers = given(form);
  if (answers) answer(form, { answers });
  else complainIn(form, say("answer_all"));
});

// An answer of one's own takes the place of a choice of one.
document.addEventListener("input", (event) => {
  const box = event.target;
  if (!box.matches(".ask-free") || !box.value) return;
  for (const radio of box.closest("fieldset").querySelectorAll("input[type=radio]")) radio.checked = false;
});

document.addEventListener("change", (event) => {
  const choice = event.target;
  if (choice.matches(".ask-question input[type=radio]")) choice.closest("fieldset").querySelector(".ask-free").value = "";
});

export async function refreshAnswer() {
  if (!dialog.open) return;
  const found = await part(`/parts/asks/${shown}`).catch(() => null);
  const fresh = found?.querySelector("[data-part=ask]");
  if (fresh && !fresh.dataset.open) fill(fresh);
}

async function open(ask) {
  try {
    const found = await part(`/parts/asks/${ask}`);
    shown = ask;
    fill(found.querySelector("[data-part=ask]"));
    if (!dialog.open) dialog.showModal();
  } catch (error) {
    complain(error);
  }
}

function fill(content) {
  const holder = document.getElementById("answer-ask");
  refill(holder, content);
  dress(holder);
}

function decide(form, decision) {
  const note = decision === PermissionAnswer.DENY ? form.elements.note.value.trim() : "";
  return answer(form, { decision, note });
}

// Sends an answer once and tells whether it was taken; then the form stays busy until it goes.
export async function answer(form, body, refused = complain) {
  if (form.ariaBusy === "true") return false;
  form.ariaBusy = "true";
  try {
    await post(form.dataset.answer, body);
    announce(say("answered"));
    if (dialog.contains(form)) dialog.close();
    return true;
  } catch (error) {
    form.ariaBusy = null;
    if (error.status !== 409) refused(error);
    else tellLate();
    return false;
  }
}

function tellLate() {
  tell(say("answered_already"));
  refreshAnswer();
}

// The answers by question, null while one is missing.
function given(form) {
  const answers = {};
  for (const question of form.querySelectorAll(".ask-question")) {
    const chosen = [...question.querySelectorAll("input:checked")].map((choice) => choice.value);
    const own = question.querySelector(".ask-free").value.trim();
    const all = own ? [...chosen, own] : chosen;
    if (!all.length) return null;
    answers[question.dataset.question] = "multiple" in question.dataset ? all : all.at(-1);
  }
  return answers;
}

function complainIn(form, text) {
  const line = form.querySelector(".form-error");
  line.textContent = text;
  line.hidden = false;
}
