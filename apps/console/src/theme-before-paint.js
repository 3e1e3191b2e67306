// Runs before the first paint, so that a chosen theme never flashes; platform/theme.ts does the rest.
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
