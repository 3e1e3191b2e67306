const STORAGE_KEY = "wanted-path";
/** A path of this site: `//host` and `/\host` lead to another one, and a control character hides what it is. */
const OWN_PATH = /^\/(?![/\\])[^\\]*$/;
/** No page of the console has a longer address. */
const LENGTH_MAX = 2048;

/** The page to open after signing in. Kept for this tab only. */
export interface WantedPath {
  remember(path: string): void;
  /** Returns it once; undefined when there is none. */
  take(): string | undefined;
  forget(): void;
}

/** Tells whether an address leads to a page of this site, as every browser reads it. */
export function isOwnPath(path: string): boolean {
  return path.length <= LENGTH_MAX && OWN_PATH.test(path) && !hasControlCharacter(path);
}

/** Keeps the path in the storage of the tab. */
export function createWantedPath(storage: Storage): WantedPath {
  return {
    remember: (path) => {
      if (isOwnPath(path)) {
        storage.setItem(STORAGE_KEY, path);
      }
    },
    take: () => {
      const path = storage.getItem(STORAGE_KEY);
      storage.removeItem(STORAGE_KEY);
      return path !== null && isOwnPath(path) ? path : undefined;
    },
    forget: () => storage.removeItem(STORAGE_KEY),
  };
}

function hasControlCharacter(text: string): boolean {
  return Array.from(text).some((sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 0x20 || code === 0x7f;
  });
}
