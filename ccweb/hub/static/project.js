// Projects: small forms that add and take away, and a feature list with what it is read as.
import { dress } from "./dress.js";
import { renewSlots, settle } from "./reconcile.js";
import { part, post } from "./server.js";
import { announce, complain, inWords, tell } from "./toasts.js";
import { say } from "./words.js";

const TYPING_MS = 250;

const shell = document.getElementById("shell");
const main = document.getElementById("main");
const features = document.querySelector("[data-features]");
let typing = 0;
let asked = 0;

settle(main);
document.body.dataset.live = "";

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.add && !form.dataset.features) return;
  event.preventDefault();
  if (form.dataset.add) add(form);
  else save(form);
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-remove]");
  if (!button || button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    await post(button.dataset.remove, JSON.parse(button.dataset.body));
    announce(say("project_removed"));
    await refresh();
  } catch (error) {
    complain(error);
  } finally {
    button.ariaBusy = null;
  }
});

features?.addEventListener("input", () => {
  unsaved(true);
  clearTimeout(typing);
  typing = setTimeout(preview, TYPING_MS);
});

addEventListener("beforeunload", (event) => {
  if (features?.dataset.unsaved) event.preventDefault();
});

async function add(form) {
  const button = form.querySelector("[type=submit]");
  const line = form.querySelector(".form-error");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  line.hidden = true;
  try {
    const { url } = await post(form.dataset.add, Object.fromEntries(new FormData(form)));
    if ("go" in form.dataset) return location.assign(url);
    form.reset();
    announce(say("project_added"));
    await refresh();
    form.querySelector("input")?.focus();
  } catch (error) {
    line.textContent = inWords(error);
    line.hidden = false;
    form.querySelector("input")?.focus();
  } finally {
    button.ariaBusy = null;
  }
}

async function refresh() {
  const found = await part(shell.dataset.part).catch(() => null);
  if (found) renewSlots(main, found);
}

async function save(form) {
  const line = form.querySelector(".form-error");
  line.hidden = true;
  try {
    await post(form.dataset.features, { featureList: form.elements.featureList.value });
    unsaved(false);
    tell(say("project_saved"));
  } catch (error) {
    line.textContent = inWords(error);
    line.hidden = false;
  }
}

// Answers may overtake each other; only the last one asked for is shown.
async function preview() {
  const own = ++asked;
  const { html } = await post("/features/preview", { featureList: features.elements.featureList.value }).catch(() => ({}));
  if (html === undefined || own !== asked) return;
  const holder = document.getElementById("preview");
  holder.innerHTML = html;
  dress(holder);
}

function unsaved(on) {
  if (on) features.dataset.unsaved = "yes";
  else delete features.dataset.unsaved;
  features.querySelector("[data-unsaved]").hidden = !on;
}
