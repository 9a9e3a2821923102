// The images of a conversation, large and one at a time: arrow keys walk, a press shows the real size.
import { say } from "./words.js";

const box = document.getElementById("lightbox");
const stage = box.querySelector(".lightbox-stage");
const picture = box.querySelector(".lightbox-picture");
const zoom = box.querySelector(".lightbox-zoom");
let shown = null;

document.addEventListener("click", (event) => {
  const link = event.target.closest(".picture-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  show(link);
  box.showModal();
});

// A file that is no more leaves its caption.
document.addEventListener("error", ({ target }) => target.matches?.(".picture img") && lose(target), true);
for (const image of document.querySelectorAll(".picture img")) if (image.complete && !image.naturalWidth) lose(image);

box.addEventListener("click", (event) => {
  const step = event.target.closest("[data-step]");
  if (step) walk(Number(step.dataset.step));
  else if (event.target.closest(".lightbox-zoom")) setZoom(!isZoomed());
  else if (event.target === picture && canZoom()) zoomAt(event);
  else if (stage.contains(event.target)) box.close();
});

box.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || isZoomed() || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  walk(step);
});

box.addEventListener("close", () => {
  picture.removeAttribute("src");
  shown?.focus();
});

new ResizeObserver(() => showZoom()).observe(stage);

function lose(image) {
  image.closest(".picture").classList.add("gone");
}

function links() {
  return [...document.querySelectorAll("#timeline .picture:not(.gone) .picture-link")];
}

function walk(step) {
  const all = links();
  const index = all.indexOf(shown);
  show(all[(index + step + all.length) % all.length] ?? shown);
}

function show(link) {
  const all = links();
  const [width, height] = link.dataset.picture.split(" ");
  const small = link.querySelector("img");
  const caption = link.closest(".picture").querySelector("figcaption")?.textContent ?? "";
  const place = say("picture_place", { index: all.indexOf(link) + 1, count: all.length });
  shown = link;
  picture.style.setProperty("--width", width);
  picture.style.setProperty("--height", height);
  picture.alt = small.alt;
  box.querySelector(".lightbox-original").href = link.href;
  box.querySelector(".lightbox-caption").textContent = caption;
  box.querySelector(".lightbox-place").textContent = all.length > 1 ? place : "";
  for (const button of box.querySelectorAll(".lightbox-step")) button.hidden = all.length < 2;
  document.getElementById("lightbox-said").textContent = `${place}: ${small.alt}`;
  setZoom(false);
  fetchWhole(link, small.currentSrc || small.src);
}

// The small form stands in for the original until that has come.
function fetchWhole(link, small) {
  const original = new Image();
  picture.src = small;
  original.addEventListener("load", () => {
    if (shown === link && box.open) picture.src = original.src;
  });
  original.src = link.href;
}

function isZoomed() {
  return "zoomed" in box.dataset;
}

function canZoom() {
  return isZoomed() || picture.clientWidth + 1 < Number(picture.style.getPropertyValue("--width"));
}

function setZoom(zoomed) {
  if (zoomed) box.dataset.zoomed = "";
  else delete box.dataset.zoomed;
  zoom.ariaPressed = String(zoomed);
  showZoom();
}

function showZoom() {
  zoom.hidden = !canZoom();
  picture.classList.toggle("can-zoom", canZoom());
}

// What was pressed stays under the pointer's eye: it goes to the middle.
function zoomAt({ offsetX, offsetY }) {
  const [x, y] = [offsetX / picture.clientWidth, offsetY / picture.clientHeight];
  setZoom(!isZoomed());
  stage.scrollTo(x * picture.clientWidth - stage.clientWidth / 2, y * picture.clientHeight - stage.clientHeight / 2);
}
