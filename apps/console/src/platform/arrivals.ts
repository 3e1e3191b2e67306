import { LOGIN_PATH } from "./guard.ts";

const REGISTER_PATH = "/register";

/** What a link brings along that takes effect once the person is signed in. */
export type ArrivalKind = "setup" | "invitation";

/** What a link in a mail asks of the sign-in page, regardless of who is signed in. */
export type MailLink = { kind: "reset" | "confirm"; token: string };

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
  /** The link of a mail that this page was opened with, until it is forgotten. Kept nowhere else: it is good for one use. */
  getMailLink(): MailLink | undefined;
  forgetMailLink(): void;
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

function findMailLink(search: URLSearchParams): MailLink | undefined {
  const kind = (["reset", "confirm"] as const).find((name) => search.has(name));
  return kind && { kind, token: search.get(kind)?.trim() ?? "" };
}

/** Keeps them in the storage of the tab: `#setup=<code>` and `?invitation=<token>`. */
export function createArrivals(storage: Storage): Arrivals {
  let mailLink: MailLink | undefined;
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
      const link = pathname === LOGIN_PATH ? findMailLink(search) : undefined;
      if (!search.has("invitation") && !fragment.has("setup") && link === undefined) {
        return undefined;
      }
      if (link !== undefined) {
        mailLink = link.token === "" ? undefined : link;
        search.delete(link.kind);
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
    getMailLink: () => mailLink,
    forgetMailLink: () => {
      mailLink = undefined;
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
