import type { KEY_SORTS, KEY_STATES } from "@turnpike/contract/keys";
import { isId, type KeyId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS, type Environment } from "#platform/current-environment.ts";

export type KeyState = (typeof KEY_STATES)[number];
export type KeySort = (typeof KEY_SORTS)[number];

const STATES = ["active", "disabled", "expired", "revoked"] as const satisfies readonly KeyState[];
const SORTS = ["-createdAt", "createdAt", "name", "-name"] as const satisfies readonly KeySort[];
const SORT_DEFAULT: KeySort = "-createdAt";

/** Columns that may be put away. */
export const OPTIONAL_COLUMNS = [
  "key",
  "environment",
  "scopes",
  "limits",
  "expires",
  "lastUsed",
  "trend",
  "created",
] as const;

const QUERY_LENGTH_MAX = 100;
/** Pages that Previous knows the way back through; before them it goes to the first. */
const CURSORS_MAX = 20;
/** A cursor as the address holds it, without a dot. */
const CURSOR_PATTERN = /^[\w~-]{1,2000}$/;

/** The search parameters of `/api-keys`: all that the view is made of, so that it can be shared and Back works. */
export type ApiKeysSearch = {
  q?: string;
  environment?: Environment;
  state?: KeyState;
  sort?: KeySort;
  /** The cursors of the pages up to the one that is shown, the first page left out. */
  after?: string;
  /** Pages before those, whose cursors are not kept. */
  skipped?: number;
  /** Columns that are put away. */
  hide?: string;
  /** The key whose details are open. */
  key?: string;
  dialog?: "create" | "import";
};

/** What is looked at: the search parameters, understood. */
export type KeysView = {
  /** Part of a name, or an id, or the start or end of a key. Empty finds all. */
  q: string;
  /** Undefined for both. */
  environment: Environment | undefined;
  /** Undefined for all. */
  state: KeyState | undefined;
  sort: KeySort;
  /** Of the last pages up to the one that is shown; empty on the first. */
  cursors: readonly string[];
  /** Pages after the first one whose cursors are not kept. */
  skipped: number;
  hidden: ReadonlySet<string>;
  openKeyId: KeyId | undefined;
  isCreating: boolean;
  isImporting: boolean;
};

/** Keeps of search parameters what the page understands; the rest is as if it were not there. */
export function parseApiKeysSearch(search: Record<string, unknown>): ApiKeysSearch {
  return toApiKeysSearch(toKeysView(search));
}

/** Understands search parameters. What makes no sense is left out: an address never fails. */
export function toKeysView(search: Record<string, unknown>): KeysView {
  const text = (name: string): string => {
    const value = search[name];
    // The router reads `q=404` as a number and `q=true` as a boolean.
    return ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
  };
  const hidden = text("hide").split(",");
  const cursors = text("after")
    .split(".")
    .filter((cursor) => CURSOR_PATTERN.test(cursor))
    .flatMap((cursor) => readCursor(cursor) ?? []);
  const kept = cursors.slice(-CURSORS_MAX);
  const key = text("key");
  return {
    q: text("q").slice(0, QUERY_LENGTH_MAX),
    environment: ENVIRONMENTS.find((one) => one === text("environment")),
    state: STATES.find((one) => one === text("state")),
    sort: toKeySort(text("sort")),
    cursors: kept,
    skipped: kept.length === 0 ? 0 : toCount(text("skipped")) + cursors.length - kept.length,
    hidden: new Set(OPTIONAL_COLUMNS.filter((column) => hidden.includes(column))),
    openKeyId: isId("key", key) ? key : undefined,
    isCreating: text("dialog") === "create",
    isImporting: text("dialog") === "import",
  };
}

/** Writes a view as search parameters, the shortest ones: what is as it always is, is not written. */
export function toApiKeysSearch(view: KeysView): ApiKeysSearch {
  return {
    ...(view.q === "" ? {} : { q: view.q }),
    ...(view.environment === undefined ? {} : { environment: view.environment }),
    ...(view.state === undefined ? {} : { state: view.state }),
    ...(view.sort === SORT_DEFAULT ? {} : { sort: view.sort }),
    ...(view.cursors.length === 0 ? {} : { after: view.cursors.map(writeCursor).join(".") }),
    ...(view.skipped === 0 ? {} : { skipped: view.skipped }),
    ...(view.hidden.size === 0 ? {} : { hide: [...view.hidden].join(",") }),
    ...(view.openKeyId === undefined ? {} : { key: view.openKeyId }),
    ...(view.isCreating ? { dialog: "create" as const } : {}),
    ...(view.isImporting ? { dialog: "import" as const } : {}),
  };
}

/** A whole number, 0 for what is none. */
function toCount(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** What cursors hold is the server's affair: every sign of another kind is written by its number, so that none is lost. */
function writeCursor(cursor: string): string {
  return encodeURIComponent(cursor)
    .replace(/[.!~*'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    .replaceAll("%", "~");
}

/** @returns Undefined for what nobody has written so. */
function readCursor(written: string): string | undefined {
  try {
    return decodeURIComponent(written.replaceAll("~", "%"));
  } catch {
    return undefined;
  }
}

/** A sort that the list knows, else the newest first. */
export function toKeySort(text: string): KeySort {
  return SORTS.find((sort) => sort === text) ?? SORT_DEFAULT;
}

/** Looks for other keys, or in another order: from the first page on. */
export function narrow(
  view: KeysView,
  change: Partial<Pick<KeysView, "q" | "environment" | "state" | "sort">>,
): KeysView {
  return toFirstPage({ ...view, ...change });
}

/** The first page of what is looked at. */
export function toFirstPage(view: KeysView): KeysView {
  return { ...view, cursors: [], skipped: 0 };
}

/** The number of the page, from 1 on. */
export function toPageNumber({ cursors, skipped }: Pick<KeysView, "cursors" | "skipped">): number {
  return skipped + cursors.length + 1;
}

/** True when something keeps keys from being listed. */
export function isNarrowed(view: KeysView): boolean {
  return view.q !== "" || view.environment !== undefined || view.state !== undefined;
}

/** All keys, in the same order. */
export function clearFilters(view: KeysView): KeysView {
  return narrow(view, { q: "", environment: undefined, state: undefined });
}

/** The page after this one. */
export function goOn(view: KeysView, nextCursor: string): KeysView {
  const cursors = [...view.cursors, nextCursor].slice(-CURSORS_MAX);
  return { ...view, cursors, skipped: toPageNumber(view) - cursors.length };
}

/** The page before this one; the first one where the way back is not known any more. */
export function goBack(view: KeysView): KeysView {
  return isWayBackLost(view) ? toFirstPage(view) : { ...view, cursors: view.cursors.slice(0, -1) };
}

/** Whether back leads past pages to the first one. */
export function isWayBackLost({ cursors, skipped }: KeysView): boolean {
  return cursors.length === 1 && skipped > 0;
}
