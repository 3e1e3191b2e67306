// Loads the console's scripts once the page that the server rendered is painted, or at once when the visitor acts.
const { entry = "", preloads = "" } = document.querySelector("script[data-entry]").dataset;
const ACTIONS = ["pointerdown", "keydown", "focusin"];
let isStarted = false;

function start() {
  if (isStarted) {
    return;
  }
  isStarted = true;
  for (const action of ACTIONS) {
    removeEventListener(action, start, true);
  }
  for (const href of preloads.split(" ").filter(Boolean)) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    document.head.append(link);
  }
  void import(entry);
}

for (const action of ACTIONS) {
  addEventListener(action, start, { capture: true, passive: true });
}
if (document.readyState === "complete") {
  start();
} else {
  addEventListener("load", () => requestAnimationFrame(() => setTimeout(start)), { once: true });
}
