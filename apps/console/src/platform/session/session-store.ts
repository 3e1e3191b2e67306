import type { NewestEntry } from "./newest-entry.ts";

const STORAGE_KEY = "session";

/** What lasts beyond the page: enough to ask the provider for a new ID token. */
export type StoredSession = {
  providerId: string;
  subject: string;
  /** Undefined where the provider gives none: it is asked in a frame. */
  refreshToken?: string | undefined;
};

/** What was written at an instant, epoch milliseconds: the session, or that the person signed out. */
type Entry = { at: number; session: StoredSession | undefined };

/** Keeps the session for every tab of this browser and the next visit. */
export interface SessionStore {
  /** Undefined when no one is signed in. What another tab wrote a moment ago may still be missing. */
  read(): StoredSession | undefined;
  /** The same with everything that any tab wrote, for who is about to use the token up. */
  readNewest(): Promise<StoredSession | undefined>;
  /** In this tab at once; resolves when every tab reads it with `readNewest`. Never rejects, like `clear`. */
  write(session: StoredSession): Promise<void>;
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
  const readLocal = () => readEntryOf(page.localStorage);
  /** Of the newest entry that this tab knows of. */
  let knownAt = 0;

  async function readEntry(): Promise<Entry | undefined> {
    const local = readLocal();
    const shared = parseEntry((await newest.read().catch(() => undefined)) ?? null);
    // Without an entry of its own the tab was signed out while it waited: what is left elsewhere is of before.
    const isSharedNewer = local !== undefined && shared !== undefined && shared.at > local.at;
    const entry = isSharedNewer ? shared : local;
    knownAt = Math.max(knownAt, entry?.at ?? 0);
    return entry;
  }

  /** All tabs have one clock; it may be set back, but not behind what is known. */
  function nextAt(): number {
    knownAt = Math.max(Date.now(), knownAt + 1, (readLocal()?.at ?? 0) + 1);
    return knownAt;
  }

  const writeNewest = (text: string) => newest.write(text).catch(() => undefined);
  return {
    read: () => readLocal()?.session,
    readNewest: async () => (await readEntry())?.session,
    write: async (session) => {
      const text = JSON.stringify({ at: nextAt(), ...session });
      // At once: a page that is left this very moment must not take the only token along.
      page.localStorage.setItem(STORAGE_KEY, text);
      await writeNewest(text);
    },
    clear: async () => {
      const text = JSON.stringify({ at: nextAt() });
      page.localStorage.removeItem(STORAGE_KEY);
      await writeNewest(text);
    },
    onChangeElsewhere: (listener) => onStoredSessionChange(page, listener),
  };
}

/** Whether someone is signed in as far as this browser knows: the provider may have ended the session meanwhile. */
export function hasStoredSession(storage: Storage): boolean {
  return readEntryOf(storage)?.session !== undefined;
}

/** Calls back when another tab changed the session, until the returned function is called. */
export function onStoredSessionChange(page: Window, listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    // The key is null when everything was cleared.
    if (event.key === STORAGE_KEY || event.key === null) {
      listener();
    }
  };
  page.addEventListener("storage", onStorage);
  return () => page.removeEventListener("storage", onStorage);
}

function readEntryOf(storage: Storage): Entry | undefined {
  return parseEntry(storage.getItem(STORAGE_KEY));
}

/** @returns `undefined` for what is no entry. */
function parseEntry(text: string | null): Entry | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const at: unknown = Reflect.get(value, "at");
  const [providerId, subject, refreshToken] = ["providerId", "subject", "refreshToken"].map(
    (name): unknown => Reflect.get(value, name),
  );
  const session =
    typeof providerId === "string" && typeof subject === "string"
      ? {
          providerId,
          subject,
          ...(typeof refreshToken === "string" ? { refreshToken } : {}),
        }
      : undefined;
  return { at: typeof at === "number" ? at : 0, session };
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // The entry is foreign or incomplete: no one is signed in.
    return undefined;
  }
}
