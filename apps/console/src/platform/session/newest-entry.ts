import { createStore, get, set } from "idb-keyval";

/** Name of the database, of its one store, and of the one entry in it. */
const NAME = "session";
/** For a browser whose database neither answers nor fails, in milliseconds. */
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * What a tab stored last, told to every tab at once. `localStorage` cannot do that: what one tab writes there reaches the others
 * a moment later, and a refresh token that is read in that moment is used up already. Transactions of a database are one after
 * the other for all tabs.
 */
export interface NewestEntry {
  /** @returns `undefined` when nothing was ever written; rejects when the browser has no database for this page. */
  read(): Promise<string | undefined>;
  /** Resolves when every tab reads it; rejects like `read`. */
  write(text: string): Promise<void>;
}

async function withinTime<T>(task: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer")), ANSWER_TIMEOUT_MS);
  try {
    return await Promise.race([task(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the entry in the database of the browser, which is opened at the first use. */
export function createNewestEntry(): NewestEntry {
  const store = createStore(NAME, NAME);
  return {
    read: () => withinTime(() => get<string>(NAME, store)),
    write: (text) => withinTime(() => set(NAME, text, store)),
  };
}
