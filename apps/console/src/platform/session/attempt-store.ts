import type { SignInAttempt } from "./oidc-client.ts";

const STORAGE_KEY = "sign-in-attempt";

/** Keeps the one running attempt of this tab while the person is at the provider. */
export interface AttemptStore {
  write(attempt: SignInAttempt): void;
  /** Returns it once; undefined when this tab started none. */
  take(): SignInAttempt | undefined;
}

/** Makes the store in the storage of the tab. */
export function createAttemptStore(storage: Storage): AttemptStore {
  return {
    write: (attempt) => storage.setItem(STORAGE_KEY, JSON.stringify(attempt)),
    take: () => {
      const text = storage.getItem(STORAGE_KEY);
      storage.removeItem(STORAGE_KEY);
      // Written by the function above and read back in the same tab.
      return text === null ? undefined : (JSON.parse(text) as SignInAttempt);
    },
  };
}
