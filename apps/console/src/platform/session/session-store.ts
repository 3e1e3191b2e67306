import type { NewestEntry } from "./newest-entry.ts";

const STORAGE_KEY = "session";
/** Stands for nobody. */
const NOBODY = "null";

/** What lasts beyond the page: enough to ask the provider for a new ID token. */
export type StoredSession = { providerId: string; subject: string; refreshToken: string };

/** Keeps the session for every tab of this browser and the next visit. */
export interface SessionStore {
  /** Undefined when nobody is signed in. What another tab wrote a moment ago may still be missing. */
  read(): StoredSession | undefined;
  /** The same with everything that any tab wrote, for who is about to use the token up. */
  readNewest(): Promise<StoredSession | undefined>;
  /** Resolves when every tab reads it with `readNewest`, unless it was cleared meanwhile. Never rejects, like `clear`. */
  write(session: StoredSession): Promise<void>;
  /** In this tab at once. */
  clear(): Promise<void>;
  /** Calls back when another tab changed it, until the returned function is called. */
  onChangeElsewhere(listener: () => void): () => void;
}

/**
 * Makes the store in the storage of the browser.
 *
 * @param newest - Where it is out of order, `localStorage` alone has to do.
 */
export function createSessionStore(page: Window, newest: NewestEntry): SessionStore {
  const read = () => parseSession(page.localStorage.getItem(STORAGE_KEY));
  const writeNewest = (text: string) => newest.write(text).catch(() => undefined);
  /** Grows with every change by this tab. */
  let changes = 0;
  return {
    read,
    readNewest: async () => {
      const text = await newest.read().catch(() => undefined);
      return text === undefined ? read() : parseSession(text);
    },
    write: async (session) => {
      changes += 1;
      const own = changes;
      const text = JSON.stringify(session);
      // First: a tab that hears of the change reads what is newest.
      await writeNewest(text);
      if (own === changes) {
        page.localStorage.setItem(STORAGE_KEY, text);
      }
    },
    clear: async () => {
      changes += 1;
      page.localStorage.removeItem(STORAGE_KEY);
      await writeNewest(NOBODY);
    },
    onChangeElsewhere: (listener) => {
      const onStorage = (event: StorageEvent) => {
        // The key is null when everything was cleared.
        if (event.key === STORAGE_KEY || event.key === null) {
          listener();
        }
      };
      page.addEventListener("storage", onStorage);
      return () => page.removeEventListener("storage", onStorage);
    },
  };
}

function parseSession(text: string | null): StoredSession | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const [providerId, subject, refreshToken] = ["providerId", "subject", "refreshToken"].map(
    (name): unknown => Reflect.get(value, name),
  );
  return typeof providerId === "string" &&
    typeof subject === "string" &&
    typeof refreshToken === "string"
    ? { providerId, subject, refreshToken }
    : undefined;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // Somebody else's entry, or half of one: nobody is signed in.
    return undefined;
  }
}
