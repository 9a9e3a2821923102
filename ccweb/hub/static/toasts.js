// Short messages at the edge of the page, and the voice for screen readers.
import { lang } from "/words.js";
import { MEANINGS } from "/contract.js";
import { say } from "./words.js";

const GOOD_MS = 3500;
const BAD_MS = 20000;

export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

export function tell(text) {
  show(text, "", "status", GOOD_MS);
}

// An error of ours says what it means in the reader's language, then the detail.
export function complain(error) {
  const meaning = MEANINGS[error.code]?.[lang];
  const title = meaning ?? say("refused");
  const rest = [error.message, error.remedy].filter((line) => line && line !== title);
  show(title.replaceAll("`", ""), rest.join(" ").replaceAll("`", ""), "alert", BAD_MS);
}

// A refusal in the reader's language, and what to do; of a mistake its detail, which is English.
export function inWords(error) {
  const meaning = MEANINGS[error.code]?.[lang];
  const mistaken = error.status === 400;
  const said = mistaken && lang === "en" ? [error.message] : [meaning, mistaken || !meaning ? error.message : error.remedy];
  return said.filter(Boolean).join(" ").replaceAll("`", "");
}

function show(title, text, role, lasts) {
  const toast = document.createElement("div");
  toast.className = role === "alert" ? "toast bad" : "toast";
  toast.setAttribute("role", role);
  const body = document.createElement("div");
  body.append(Object.assign(document.createElement("strong"), { textContent: title }));
  if (text) body.append(Object.assign(document.createElement("span"), { textContent: text }));
  const close = document.createElement("button");
  close.type = "button";
  close.className = "icon-button";
  close.setAttribute("aria-label", say("dismiss"));
  close.textContent = "×";
  close.addEventListener("click", () => toast.remove());
  toast.append(body, close);
  document.getElementById("toasts").append(toast);
  setTimeout(() => toast.remove(), lasts);
}
