import { t } from "@lingui/core/macro";
import { toCanonicalNetwork } from "@turnpike/domain/keys/networks";
import { createZone } from "@turnpike/ui/charts/zone.view-model";
import type { ApiClient } from "#platform/api-client.ts";
import type { Environment } from "#platform/current-environment.ts";
import type { Key } from "../api-keys.queries.ts";
import type { DraftErrors } from "./draft-errors.ts";
import {
  checkLimits,
  type QuotaRow,
  type RateLimitRow,
  toQuotaRows,
  toQuotas,
  toRateLimitRows,
  toRateLimits,
} from "./key-limits.view-model.ts";

const DAY_MS = 86_400_000;

type CreateInput = Parameters<ApiClient["keys"]["create"]>[0];
type UpdateInput = Parameters<ApiClient["keys"]["update"]>[0];
export type KeyScope = NonNullable<CreateInput["scopes"]>[number];
type Metadata = NonNullable<CreateInput["metadata"]>;

/** Entries of metadata that a key may have. */
export const METADATA_MAX = 20;
/** Networks that a key may be bound to. */
const NETWORKS_MAX = 50;
/** Invalid networks named in an error; fixing these usually reveals the pattern. */
const NETWORKS_NAMED_MAX = 3;

export const EXPIRY_PRESETS = [
  { value: "7d", label: t`In 7 days`, afterMs: 7 * DAY_MS },
  { value: "30d", label: t`In 30 days`, afterMs: 30 * DAY_MS },
  { value: "90d", label: t`In 90 days`, afterMs: 90 * DAY_MS },
  { value: "365d", label: t`In 1 year`, afterMs: 365 * DAY_MS },
] as const;
/** `keep` leaves the expiry of an existing key unchanged. */
export type Expiry = (typeof EXPIRY_PRESETS)[number]["value"] | "never" | "custom" | "keep";

/** One line of metadata as typed. */
export type MetadataRow = {
  /** Identifies the line while it is on the page. */
  rowId: number;
  name: string;
  text: string;
  /** The stored value; a number stays a number while its text is unchanged. */
  stored?: unknown;
};

/** A key as its form holds it. */
export type KeyDraft = {
  name: string;
  environment: Environment;
  scopes: readonly string[];
  /** Addresses and ranges, separated by line breaks, spaces or commas. */
  networks: string;
  rateLimits: readonly RateLimitRow[];
  quotas: readonly QuotaRow[];
  /** Calls at once; null for no limit of the key. */
  concurrency: number | null;
  expiry: Expiry;
  /** The value of a date and time field: "2026-12-01T09:00". Empty until one is chosen. */
  customExpiry: string;
  metadata: readonly MetadataRow[];
};

/** The initial values for a new key. */
export function toNewDraft(environment: Environment | undefined): KeyDraft {
  return {
    name: "",
    environment: environment ?? "live",
    scopes: [],
    networks: "",
    rateLimits: [],
    quotas: [],
    concurrency: null,
    expiry: "never",
    customExpiry: "",
    metadata: [],
  };
}

/** The initial values for an existing key. */
export function toDraft(key: Key): KeyDraft {
  return {
    name: key.name,
    environment: key.environment,
    scopes: key.scopes,
    networks: key.allowedNetworks.join("\n"),
    rateLimits: toRateLimitRows(key.rateLimits),
    quotas: toQuotaRows(key.quotas),
    concurrency: key.concurrency,
    expiry: key.expiresAt === null ? "never" : "keep",
    customExpiry: "",
    metadata: Object.entries(key.metadata).map(([name, stored], rowId) => ({
      rowId,
      name,
      text: toText(stored),
      stored,
    })),
  };
}

function toText(stored: unknown): string {
  return typeof stored === "string" ? stored : JSON.stringify(stored);
}

/** The errors that can be found before the request is sent. Empty if there are none. */
export function checkDraft(
  draft: KeyDraft,
  clock: { nowMs: number; timeZone: string },
): DraftErrors {
  return {
    ...(draft.name.trim() === "" ? { "/name": t`Give the key a name.` } : {}),
    ...checkExpiry(draft, clock),
    ...checkNetworks(draft.networks),
    ...checkLimits(draft),
    ...checkMetadata(draft.metadata),
  };
}

/** The errors of the expiry. Empty if there are none. */
export function checkExpiry(
  draft: Pick<KeyDraft, "expiry" | "customExpiry">,
  { nowMs, timeZone }: { nowMs: number; timeZone: string },
): DraftErrors {
  if (draft.expiry !== "custom") {
    return {};
  }
  const expiresAt = readCustom(draft.customExpiry, timeZone);
  if (expiresAt === undefined) {
    return { "/expiresAt": t`Choose a date and a time.` };
  }
  return expiresAt <= nowMs ? { "/expiresAt": t`The expiry must be in the future.` } : {};
}

/** The networks in a text, as typed. */
export function splitNetworks(text: string): string[] {
  return text.split(/[\s,;]+/).filter((entry) => entry !== "");
}

function checkNetworks(text: string): DraftErrors {
  const entries = splitNetworks(text);
  const wrong = entries.filter((entry) => toCanonicalNetwork(entry) === undefined);
  const more = wrong.length - NETWORKS_NAMED_MAX;
  if (wrong.length > 0) {
    const named = wrong.slice(0, NETWORKS_NAMED_MAX).join(", ");
    const others = more > 0 ? t` and ${String(more)} more` : "";
    return {
      "/allowedNetworks": t`Not an address or a range such as 192.0.2.0/24 or 2001:db8::/32: ${named}${others}.`,
    };
  }
  return entries.length > NETWORKS_MAX
    ? { "/allowedNetworks": t`At most ${String(NETWORKS_MAX)} networks.` }
    : {};
}

function checkMetadata(metadata: readonly MetadataRow[]): DraftErrors {
  const rows = metadata.filter(isFilled);
  const pointers = rows.map(toMetadataPointer);
  const errors = rows.flatMap((row, index): [string, string][] => {
    const pointer = toMetadataPointer(row);
    if (row.name.trim() === "") {
      return [[pointer, t`Every value needs a name.`]];
    }
    return pointers.indexOf(pointer) === index
      ? []
      : [[pointer, t`Each name can be used only once.`]];
  });
  return Object.fromEntries(errors);
}

/** The JSON pointer (RFC 6901) of a line in the request, by its name. */
export function toMetadataPointer({ name }: Pick<MetadataRow, "name">): string {
  return `/metadata/${name.trim().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** An empty line is ignored. */
export function isFilled(row: MetadataRow): boolean {
  return row.name.trim() !== "" || row.text !== "";
}

/** The value of a date and time field in epoch milliseconds; undefined while it is empty. */
function readCustom(local: string, timeZone: string): number | undefined {
  const ms = Date.parse(`${local}Z`);
  return Number.isNaN(ms) ? undefined : createZone(timeZone).toInstant(ms);
}

/** The requested expiry: null for never, undefined for unchanged. */
export function toExpiresAt(
  draft: Pick<KeyDraft, "expiry" | "customExpiry">,
  { nowMs, timeZone }: { nowMs: number; timeZone: string },
): string | null | undefined {
  switch (draft.expiry) {
    case "keep":
      return;
    case "never":
      return null;
    case "custom": {
      const ms = readCustom(draft.customExpiry, timeZone);
      return ms === undefined ? undefined : new Date(ms).toISOString();
    }
    default: {
      const preset = EXPIRY_PRESETS.find(({ value }) => value === draft.expiry);
      return preset === undefined ? undefined : new Date(nowMs + preset.afterMs).toISOString();
    }
  }
}

function toMetadata(rows: readonly MetadataRow[]): Metadata {
  return Object.fromEntries(
    rows.filter(isFilled).map(({ name, text, stored }) => {
      const isKept = stored !== undefined && text === toText(stored) && isScalar(stored);
      return [name.trim(), isKept ? stored : text];
    }),
  );
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

export type DraftContext = {
  tenantId: CreateInput["tenantId"];
  nowMs: number;
  /** The time zone that a custom expiry was typed in. */
  timeZone: string;
};

/** The request that creates the key. */
export function toCreateInput(draft: KeyDraft, context: DraftContext): CreateInput {
  const expiresAt = toExpiresAt(draft, context);
  const networks = splitNetworks(draft.networks);
  return {
    tenantId: context.tenantId,
    name: draft.name.trim(),
    environment: draft.environment,
    scopes: draft.scopes as KeyScope[],
    metadata: toMetadata(draft.metadata),
    ...(networks.length === 0 ? {} : { allowedNetworks: networks }),
    ...(draft.rateLimits.length === 0 ? {} : { rateLimits: toRateLimits(draft.rateLimits) }),
    ...(draft.quotas.length === 0 ? {} : { quotas: toQuotas(draft.quotas) }),
    ...(draft.concurrency === null ? {} : { concurrency: draft.concurrency }),
    ...(expiresAt === null || expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** The request that updates a key with the changed fields only. Undefined when nothing changed. */
export function toUpdateInput(
  key: Key,
  draft: KeyDraft,
  context: DraftContext,
): UpdateInput | undefined {
  const name = draft.name.trim();
  const metadata = toMetadata(draft.metadata);
  const expiresAt = toExpiresAt(draft, context);
  const allowedNetworks = splitNetworks(draft.networks);
  const rateLimits = toRateLimits(draft.rateLimits);
  const quotas = toQuotas(draft.quotas);
  const change = {
    ...(name === key.name ? {} : { name }),
    ...(isSameSet(draft.scopes, key.scopes) ? {} : { scopes: draft.scopes as KeyScope[] }),
    ...(isSameSet(allowedNetworks.map(toStored), key.allowedNetworks.map(toStored))
      ? {}
      : { allowedNetworks }),
    ...(isEqual(rateLimits, key.rateLimits) ? {} : { rateLimits }),
    ...(isEqual(quotas, key.quotas) ? {} : { quotas }),
    ...(draft.concurrency === key.concurrency ? {} : { concurrency: draft.concurrency }),
    ...(isSameText(metadata, key.metadata) ? {} : { metadata }),
    ...(expiresAt === undefined || expiresAt === key.expiresAt ? {} : { expiresAt }),
  };
  return Object.keys(change).length === 0
    ? undefined
    : { tenantId: context.tenantId, keyId: key.keyId, ...change };
}

/** Whether both hold the same values, ignoring order and duplicates. */
function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.every((value) => other.includes(value)) && other.every((value) => one.includes(value));
}

/** A network in the form that the server stores. */
function toStored(network: string): string {
  return toCanonicalNetwork(network) ?? network;
}

/** Compares entries in order; names within an entry may come in any order. */
function isEqual(one: readonly object[], other: readonly object[]): boolean {
  const write = (entries: readonly object[]) =>
    JSON.stringify(entries.map((entry) => Object.entries(entry).toSorted()));
  return write(one) === write(other);
}

function isSameText(one: Metadata, other: Record<string, unknown>): boolean {
  const write = (value: Record<string, unknown>) =>
    JSON.stringify(Object.entries(value).map(([name, entry]) => [name, toText(entry)]));
  return write(one) === write(other);
}
