/** The operator's key, for as long as the page is open: never stored, never in the address. */
export interface CredentialStore {
  get(): string | undefined;
  set(key: string): void;
  forget(): void;
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** Makes an empty store. */
export function createCredentialStore(): CredentialStore {
  let current: string | undefined;
  const listeners = new Set<() => void>();
  const change = (next: string | undefined): void => {
    current = next;
    for (const listener of listeners) {
      listener();
    }
  };
  return {
    get: () => current,
    set: (key) => change(key),
    forget: () => change(undefined),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
