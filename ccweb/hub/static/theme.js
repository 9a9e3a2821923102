// Runs before the first paint, so that a chosen look never flashes.
{
  const chosen = localStorage.getItem("ccweb:theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
