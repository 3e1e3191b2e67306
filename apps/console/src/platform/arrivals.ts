import { LOGIN_PATH } from "./guard.ts";

const REGISTER_PATH = "/register";

/** What a link brings along that takes effect once the person is signed in. */
const LINK_KINDS = ["setup", "invitation"] as const;

/** Links, and the name of the first tenant that a person gave when they registered. */
const ARRIVAL_KINDS = [...LINK_KINDS, "tenant-name"] as const;
export type ArrivalKind = (typeof ARRIVAL_KINDS)[number];

/** What a link in a mail asks of the sign-in page, regardless of who is signed in. */
export type MailLink = { kind: (typeof MAIL_LINK_KINDS)[number]; token: string };

const MAIL_LINK_KINDS = ["reset", "confirm", "change-email", "undo-email"] as const;

/** What links and the registration brought along, kept until it took effect. */
export interface Arrivals {
  /**
   * Takes what a link to `/login` or `/register` carries.
   *
   * @returns The address without it; undefined when it carries nothing.
   */
  capture(location: { pathname: string; searchStr: string; hash: string }): string | undefined;
  /** The newest of a kind; undefined when there is none. */
  get(kind: ArrivalKind): string | undefined;
  /** Lets what this tab holds survive the tab, for the person who is about to register or sign in with this address. */
  keepFor(email: string): void;
  /** Keeps the name of the first tenant of the person who registers with this address; nothing for an empty one. */
  keepTenantName(name: string, email: string): void;
  /** What the signed-in person may use: what this tab holds, or what was kept for their address. */
  getFor(kind: ArrivalKind, email: string | null): string | undefined;
  /** Removes what was kept for people with another address. */
  forgetOthers(email: string | null): void;
  forget(kind: ArrivalKind): void;
  /** The link of a mail that this page was opened with, until it is forgotten. Kept nowhere else: it is good for one use. */
  getMailLink(): MailLink | undefined;
  forgetMailLink(): void;
  /** Calls back after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

function findMailLink(fragment: URLSearchParams): MailLink | undefined {
  const kind = MAIL_LINK_KINDS.find((name) => fragment.has(name));
  return kind && { kind, token: fragment.get(kind)?.trim() ?? "" };
}

/**
 * Keeps what links bring along: `#setup=<code>`, `#invitation=<token>`, and the token of a mail under its kind, such as
 * `#reset=<token>`. Secrets are in the fragment, which browsers send to no server, so that no log on the way has them.
 *
 * @param tab - Holds it until the tab is closed. Anyone who signs in there may use it.
 * @param lasting - Survives the tab, so that someone who registers, closes the tab and signs in later loses nothing. Holds
 *   only what is bound to an address: otherwise the next person at this machine could take it.
 */
export function createArrivals({ tab, lasting }: { tab: Storage; lasting: Storage }): Arrivals {
  let mailLink: MailLink | undefined;
  const listeners = new Set<() => void>();
  const keepLasting = (kind: ArrivalKind, kept: Kept): void => {
    lasting.setItem(storageKey(kind), JSON.stringify(kept));
  };
  const change = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  const keep = (kind: ArrivalKind, secret: string | null): void => {
    const text = secret?.trim() ?? "";
    if (text !== "") {
      tab.setItem(storageKey(kind), text);
    }
  };
  return {
    capture: ({ pathname, searchStr, hash }) => {
      if (pathname !== LOGIN_PATH && pathname !== REGISTER_PATH) {
        return undefined;
      }
      const fragment = new URLSearchParams(hash.replace(/^#/, ""));
      const link = pathname === LOGIN_PATH ? findMailLink(fragment) : undefined;
      if (!fragment.has("invitation") && !fragment.has("setup") && link === undefined) {
        return undefined;
      }
      if (link !== undefined) {
        mailLink = link.token === "" ? undefined : link;
        fragment.delete(link.kind);
      }
      for (const kind of LINK_KINDS) {
        keep(kind, fragment.get(kind));
        fragment.delete(kind);
      }
      change();
      const rest = fragment.toString();
      return pathname + searchStr + (rest === "" ? "" : `#${rest}`);
    },
    get: (kind) => tab.getItem(storageKey(kind)) ?? readKept(lasting, kind)?.secret,
    keepFor: (email) => {
      for (const kind of LINK_KINDS) {
        const secret = tab.getItem(storageKey(kind));
        if (secret !== null) {
          keepLasting(kind, { secret, email: toComparable(email) });
        }
      }
    },
    keepTenantName: (name, email) => {
      if (name !== "") {
        keepLasting("tenant-name", { secret: name, email: toComparable(email) });
        change();
      }
    },
    getFor: (kind, email) => {
      const kept = readKept(lasting, kind);
      return (
        tab.getItem(storageKey(kind)) ??
        (kept !== undefined && isKeptFor(kept, email) ? kept.secret : undefined)
      );
    },
    forgetOthers: (email) => {
      for (const kind of ARRIVAL_KINDS) {
        const kept = readKept(lasting, kind);
        if (kept !== undefined && !isKeptFor(kept, email)) {
          lasting.removeItem(storageKey(kind));
        }
      }
    },
    forget: (kind) => {
      tab.removeItem(storageKey(kind));
      lasting.removeItem(storageKey(kind));
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

/** A secret, or a name, in the lasting storage, and the address it was kept for. */
type Kept = { secret: string; email: string };

function isKeptFor(kept: Kept, email: string | null): boolean {
  return email !== null && kept.email === toComparable(email);
}

function toComparable(email: string): string {
  return email.trim().toLowerCase();
}

/** Reads what is kept; what another version or a person wrote there counts as nothing. */
function readKept(lasting: Storage, kind: ArrivalKind): Kept | undefined {
  const text = lasting.getItem(storageKey(kind));
  try {
    const kept: unknown = text === null ? undefined : JSON.parse(text);
    if (typeof kept === "object" && kept !== null && "secret" in kept && "email" in kept) {
      const { secret, email } = kept;
      return typeof secret === "string" && typeof email === "string"
        ? { secret, email }
        : undefined;
    }
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) {
      throw cause;
    }
  }
  return undefined;
}

function storageKey(kind: ArrivalKind): string {
  return `arrival-${kind}`;
}
