export const THEME_CHOICES = ["system", "light", "dark"] as const;

export type ThemeChoice = (typeof THEME_CHOICES)[number];

/** Shared with the script that sets the theme before the first paint. */
const STORAGE_KEY = "theme";

/** The theme that the person chose, for every tab and the next visit. */
export interface Theme {
  getChoice(): ThemeChoice;
  choose(choice: ThemeChoice): void;
  /** Takes over what the person chose elsewhere: as `choose`, but it is no new choice. What is no theme changes nothing. */
  adopt(choice: unknown): void;
  /** Calls back with each choice that is made in this tab, until the returned function is called. */
  onChosen(listener: (choice: ThemeChoice) => void): () => void;
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/**
 * Shows the theme by `data-theme` on the root element; without it the page follows the system.
 *
 * @param page - Its storage keeps the choice, and other tabs follow.
 */
export function createTheme(page: Window): Theme {
  const listeners = new Set<() => void>();
  const choosers = new Set<(choice: ThemeChoice) => void>();
  const root = page.document.documentElement;

  function getChoice(): ThemeChoice {
    const shown = root.dataset["theme"];
    return THEME_CHOICES.find((choice) => choice === shown) ?? "system";
  }

  function show(choice: ThemeChoice): void {
    if (choice === "system") {
      delete root.dataset["theme"];
    } else {
      root.dataset["theme"] = choice;
    }
    for (const listener of listeners) {
      listener();
    }
  }

  page.addEventListener("storage", (event) => {
    if (event.key === STORAGE_KEY || event.key === null) {
      show(THEME_CHOICES.find((choice) => choice === event.newValue) ?? "system");
    }
  });

  function keep(choice: ThemeChoice): void {
    if (choice === "system") {
      page.localStorage.removeItem(STORAGE_KEY);
    } else {
      page.localStorage.setItem(STORAGE_KEY, choice);
    }
    show(choice);
  }

  return {
    getChoice,
    adopt: (choice) => {
      const known = THEME_CHOICES.find((one) => one === choice);
      if (known !== undefined) {
        keep(known);
      }
    },
    choose: (choice) => {
      keep(choice);
      for (const listener of choosers) {
        listener(choice);
      }
    },
    onChosen: (listener) => {
      choosers.add(listener);
      return () => choosers.delete(listener);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
