/** The setup code that the address carries behind `#`, where no request and no log sees it. */
export interface SetupLink {
  /** Undefined when the address carries none. */
  readCode(): string | undefined;
  /** Takes the code out of the address and out of the history entry. */
  clear(): void;
  subscribe(listener: () => void): () => void;
}

/**
 * Reads the code of a setup link.
 *
 * @param fragment - With or without the leading `#`.
 * @returns Undefined when there is no code or an empty one.
 */
export function parseSetupCode(fragment: string): string | undefined {
  const code = new URLSearchParams(fragment.replace(/^#/, "")).get("setup")?.trim();
  return code === "" ? undefined : code;
}

/** Reads the setup link from the browser's address, also when it is pasted into an open page. */
export function createSetupLink(page: Window): SetupLink {
  const listeners = new Set<() => void>();
  return {
    readCode: () => parseSetupCode(page.location.hash),
    clear: () => {
      page.history.replaceState(null, "", page.location.pathname + page.location.search);
      for (const listener of listeners) {
        listener();
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      page.addEventListener("hashchange", listener);
      return () => {
        listeners.delete(listener);
        page.removeEventListener("hashchange", listener);
      };
    },
  };
}
