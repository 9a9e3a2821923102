// Speaking to the hub: actions are posted as JSON, parts of the page are fetched as HTML.
import { say } from "./words.js";

const PATIENCE_MS = 30000;

export class Refusal extends Error {
  constructor(message, { status = 0, code = "", remedy = "", problems } = {}) {
    super(message);
    Object.assign(this, { status, code, remedy, problems });
  }
}

export async function post(path, body = {}) {
  const answer = await reach(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
  const given = await answer.json().catch(() => ({}));
  if (answer.ok) return given;
  throw refusal(answer, given);
}

export async function part(path, parameters = {}) {
  const answer = await reach(`${path}?${new URLSearchParams(parameters)}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (answer.ok) return parse(await answer.text().catch(away));
  throw refusal(answer, await answer.json().catch(() => ({})));
}

export async function plain(path) {
  const answer = await reach(path, {});
  if (!answer.ok) throw refusal(answer, await answer.json().catch(() => ({})));
  return answer.text();
}

function refusal({ status, statusText }, { detail, error_code: code, remedy, problems }) {
  return new Refusal(detail ?? statusText, { status, code, remedy, problems });
}

function parse(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content;
}

function away() {
  throw new Refusal(say("away"));
}

async function reach(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    away();
  }
  if (answer.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
  return answer;
}
