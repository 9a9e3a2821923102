// The printed link carries its ticket after the #, which browsers send to no server: this script
// takes it out of the address and posts it.
const error = document.getElementById("door-error");
const working = document.getElementById("door-working");

for (const form of document.querySelectorAll("[data-sign-in]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    enter(form);
  });
}

const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
if (ticket) {
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.getElementById("ticket-form");
  form.elements.ticket.value = ticket;
  enter(form);
}

async function enter(form) {
  error.hidden = true;
  working.hidden = false;
  const [address, failure] = await post(form).catch(() => [null, error.dataset.away]);
  if (address) return location.replace(address);
  working.hidden = true;
  error.textContent = failure;
  error.hidden = false;
  form.elements.ticket?.select();
}

async function post(form) {
  const answer = await fetch(`/sign-in${location.search}`, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
  });
  const body = await answer.json();
  return answer.ok ? [body.url, null] : [null, body.detail];
}
