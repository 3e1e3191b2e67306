import type { KEY_SORTS, KEY_STATES } from "@turnpike/contract/keys";
import { isId, type KeyId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS, type Environment } from "#platform/current-environment.ts";

export type KeyState = (typeof KEY_STATES)[number];
export type KeySort = (typeof KEY_SORTS)[number];

const STATES = ["active", "disabled", "expired", "revoked"] as const satisfies readonly KeyState[];
const SORTS = ["-createdAt", "createdAt", "name", "-name"] as const satisfies readonly KeySort[];
const SORT_DEFAULT: KeySort = "-createdAt";

/** Columns that can be hidden. */
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
/** Pages that Previous can step back through; before them it goes to the first page. */
const CURSORS_MAX = 20;
/** A cursor as the address holds it, without a dot. */
const CURSOR_PATTERN = /^[\w~-]{1,2000}$/;

/** The search parameters of `/api-keys`. They hold the whole view, so it can be shared and Back works. */
export type ApiKeysSearch = {
  q?: string;
  environment?: Environment;
  state?: KeyState;
  sort?: KeySort;
  /** The cursors of the pages up to the current one, without the first page. */
  after?: string;
  /** The number of pages before those, whose cursors are dropped. */
  skipped?: number;
  /** Hidden columns. */
  hide?: string;
  /** The key whose details are open. */
  key?: string;
  /** `roll` is of that key. */
  dialog?: "create" | "import" | "roll";
};

/** The current view, parsed from the search parameters. */
export type KeysView = {
  /** Part of a name, or an id, or the start or end of a key. Empty matches all. */
  q: string;
  /** Undefined: both. */
  environment: Environment | undefined;
  /** Undefined: all. */
  state: KeyState | undefined;
  sort: KeySort;
  /** The cursors of the last pages up to the current one; empty on the first. */
  cursors: readonly string[];
  /** The number of pages after the first one whose cursors are dropped. */
  skipped: number;
  hidden: ReadonlySet<string>;
  openKeyId: KeyId | undefined;
  isCreating: boolean;
  isImporting: boolean;
  /** The open key is rolled, in place of its details. */
  isRolling: boolean;
};

/** Keeps the search parameters that the page understands and drops the rest. */
export function parseApiKeysSearch(search: Record<string, unknown>): ApiKeysSearch {
  return toApiKeysSearch(toKeysView(search));
}

/** Parses search parameters. Invalid values are dropped: an address never fails. */
export function toKeysView(search: Record<string, unknown>): KeysView {
  const text = (name: string): string => {
    const value = search[name];
    // The router parses `q=404` as a number and `q=true` as a boolean.
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
    isRolling: text("dialog") === "roll" && isId("key", key),
  };
}

/** Writes a view as the shortest search parameters: defaults are left out. */
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
    ...(view.isRolling ? { dialog: "roll" as const } : {}),
  };
}

/** A whole number; 0 for anything else. */
function toCount(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** Cursors are opaque and may hold any character, so every special character is written as its code. */
function writeCursor(cursor: string): string {
  return encodeURIComponent(cursor)
    .replace(/[.!~*'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
    .replaceAll("%", "~");
}

/** @returns Undefined for text that {@link writeCursor} cannot have written. */
function readCursor(written: string): string | undefined {
  try {
    return decodeURIComponent(written.replaceAll("~", "%"));
  } catch {
    return undefined;
  }
}

/** A sort order that the list supports; otherwise the newest first. */
export function toKeySort(text: string): KeySort {
  return SORTS.find((sort) => sort === text) ?? SORT_DEFAULT;
}

/** Changes the filters or the order, starting at the first page. */
export function narrow(
  view: KeysView,
  change: Partial<Pick<KeysView, "q" | "environment" | "state" | "sort">>,
): KeysView {
  return toFirstPage({ ...view, ...change });
}

/** The first page of the view. */
export function toFirstPage(view: KeysView): KeysView {
  return { ...view, cursors: [], skipped: 0 };
}

/** The page number, starting at 1. */
export function toPageNumber({ cursors, skipped }: Pick<KeysView, "cursors" | "skipped">): number {
  return skipped + cursors.length + 1;
}

/** True when a filter is set. */
export function isNarrowed(view: KeysView): boolean {
  return view.q !== "" || view.environment !== undefined || view.state !== undefined;
}

/** Shows all keys, in the same order. */
export function clearFilters(view: KeysView): KeysView {
  return narrow(view, { q: "", environment: undefined, state: undefined });
}

/** The next page. */
export function goOn(view: KeysView, nextCursor: string): KeysView {
  const cursors = [...view.cursors, nextCursor].slice(-CURSORS_MAX);
  return { ...view, cursors, skipped: toPageNumber(view) - cursors.length };
}

/** The previous page, or the first page when the way back is lost. */
export function goBack(view: KeysView): KeysView {
  return isWayBackLost(view) ? toFirstPage(view) : { ...view, cursors: view.cursors.slice(0, -1) };
}

/** Whether Previous skips pages and leads to the first one. */
export function isWayBackLost({ cursors, skipped }: KeysView): boolean {
  return cursors.length === 1 && skipped > 0;
}
