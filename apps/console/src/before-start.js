// Runs before the first paint, and long before the page's own script.

// A chosen theme never flashes; platform/theme.ts does the rest.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // Storage may be forbidden: then the system decides.
  }
})();

// A link to set up, or an invitation, shows a notice and asks for less: the page has room for it before its own script knows.
(() => {
  try {
    const isKept = (kind) =>
      [sessionStorage, localStorage].some((storage) => storage.getItem(`arrival-${kind}`) !== null);
    if (/[#&](setup|invitation)=/.test(location.hash) || isKept("setup") || isKept("invitation")) {
      document.documentElement.dataset.arrival = "";
    }
  } catch {
    // Storage may be forbidden: then the page moves a little.
  }
  addEventListener("page-interactive", () => delete document.documentElement.dataset.arrival);
})();

// A served page shows its buttons before they work. The last one clicked until then is clicked again once they do.
(() => {
  let clicked = null;
  const keep = (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button !== null) {
      event.preventDefault();
      event.stopPropagation();
      clicked = button;
    }
  };
  addEventListener("click", keep, { capture: true });
  addEventListener(
    "page-interactive",
    () => {
      removeEventListener("click", keep, { capture: true });
      if (clicked?.isConnected) {
        clicked.click();
      }
    },
    { once: true },
  );
})();
