const STORAGE_KEY = "sign-out";

/** What this tab remembers while the person is at a provider to be signed out there. */
export type SignOutAttempt = { state: string; providerName: string };

/** Keeps the one sign-out of this tab that a provider is to confirm. */
export interface SignOutStore {
  write(attempt: SignOutAttempt): void;
  /** @returns The name of the provider that signed the person out; undefined when this tab asked for no such thing. */
  find(state: string): string | undefined;
}

/** Makes the store in the storage of the tab. */
export function createSignOutStore(storage: Storage): SignOutStore {
  return {
    write: (attempt) => storage.setItem(STORAGE_KEY, JSON.stringify(attempt)),
    find: (state) => {
      const text = storage.getItem(STORAGE_KEY);
      // Written by the function above and read back in the same tab.
      const attempt = text === null ? undefined : (JSON.parse(text) as SignOutAttempt);
      return attempt?.state === state ? attempt.providerName : undefined;
    },
  };
}
