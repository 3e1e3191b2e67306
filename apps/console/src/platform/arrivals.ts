import { LOGIN_PATH } from "./guard.ts";

const REGISTER_PATH = "/register";

/** What a link brings along that takes effect once the person is signed in. */
export type ArrivalKind = "setup" | "invitation";

/** What links brought along, kept for this tab until it took effect. */
export interface Arrivals {
  /**
   * Takes what a link to `/login` or `/register` carries.
   *
   * @returns The address without it; undefined when it carries nothing.
   */
  capture(location: { pathname: string; searchStr: string; hash: string }): string | undefined;
  /** The newest of a kind; undefined when there is none. */
  get(kind: ArrivalKind): string | undefined;
  forget(kind: ArrivalKind): void;
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** Keeps them in the storage of the tab: `#setup=<code>` and `?invitation=<token>`. */
export function createArrivals(storage: Storage): Arrivals {
  const listeners = new Set<() => void>();
  const change = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  const keep = (kind: ArrivalKind, secret: string | null): void => {
    const text = secret?.trim() ?? "";
    if (text !== "") {
      storage.setItem(storageKey(kind), text);
    }
  };
  return {
    capture: ({ pathname, searchStr, hash }) => {
      if (pathname !== LOGIN_PATH && pathname !== REGISTER_PATH) {
        return undefined;
      }
      const search = new URLSearchParams(searchStr);
      const fragment = new URLSearchParams(hash.replace(/^#/, ""));
      if (!search.has("invitation") && !fragment.has("setup")) {
        return undefined;
      }
      keep("invitation", search.get("invitation"));
      keep("setup", fragment.get("setup"));
      search.delete("invitation");
      fragment.delete("setup");
      change();
      return pathname + withPrefix("?", search) + withPrefix("#", fragment);
    },
    get: (kind) => storage.getItem(storageKey(kind)) ?? undefined,
    forget: (kind) => {
      storage.removeItem(storageKey(kind));
      change();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function storageKey(kind: ArrivalKind): string {
  return `arrival-${kind}`;
}

function withPrefix(prefix: string, parameters: URLSearchParams): string {
  const text = parameters.toString();
  return text === "" ? "" : prefix + text;
}
