// Sessions made outside: one press opens one as a conversation.
import { post } from "./server.js";
import { announce, complain } from "./toasts.js";

document.addEventListener("click", async (event) => {
  const row = event.target.closest("[data-open]");
  if (!row || document.body.ariaBusy === "true") return;
  document.body.ariaBusy = "true";
  row.ariaBusy = "true";
  announce(document.getElementById("announcer").dataset.opening);
  const { host: hostId, program, session: sessionId } = row.dataset;
  try {
    const { url } = await post("/history/open", { hostId, program, sessionId });
    location.assign(url);
  } catch (error) {
    complain(error);
  } finally {
    document.body.ariaBusy = null;
    row.ariaBusy = null;
  }
});
