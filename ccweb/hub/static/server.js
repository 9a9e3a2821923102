// Speaking to the hub: actions are posted as JSON, parts of the page are fetched as HTML.
import { say } from "./words.js";

export class Refusal extends Error {
  constructor(message, { status = 0, code = "", remedy = "" } = {}) {
    super(message);
    Object.assign(this, { status, code, remedy });
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
  const { status } = answer;
  throw new Refusal(given.detail ?? answer.statusText, { status, code: given.error_code, remedy: given.remedy });
}

export async function part(path, parameters = {}) {
  const answer = await reach(`${path}?${new URLSearchParams(parameters)}`, {});
  if (answer.ok) return parse(await answer.text());
  throw new Refusal(answer.statusText, { status: answer.status });
}

export async function plain(path) {
  const answer = await reach(path, {});
  if (!answer.ok) throw new Refusal(answer.statusText);
  return answer.text();
}

function parse(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content;
}

async function reach(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(say("away"));
  }
  if (answer.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
  return answer;
}
