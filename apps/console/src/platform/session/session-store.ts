const STORAGE_KEY = "session";

/** What lasts beyond the page: enough to ask the provider for a new ID token. */
export type StoredSession = { providerId: string; subject: string; refreshToken: string };

/** Keeps the session for every tab of this browser and the next visit. */
export interface SessionStore {
  /** Undefined when nobody is signed in. */
  read(): StoredSession | undefined;
  write(session: StoredSession): void;
  clear(): void;
  /** Calls back when another tab changed it, until the returned function is called. */
  onChangeElsewhere(listener: () => void): () => void;
}

/** Makes the store in the storage of the browser. */
export function createSessionStore(page: Window): SessionStore {
  return {
    read: () => parseSession(page.localStorage.getItem(STORAGE_KEY)),
    write: (session) => page.localStorage.setItem(STORAGE_KEY, JSON.stringify(session)),
    clear: () => page.localStorage.removeItem(STORAGE_KEY),
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
