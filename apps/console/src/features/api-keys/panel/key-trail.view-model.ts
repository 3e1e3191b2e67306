import { t } from "@lingui/core/macro";
import { formatInstant } from "#platform/format.ts";
import type { AuditEntry } from "../api-keys.queries.ts";
import { toLimitTexts, toMakerName } from "../key.view-model.ts";

const TITLES: Readonly<Record<string, string>> = {
  "key.created": t`Created`,
  "key.updated": t`Changed`,
  "key.disabled": t`Disabled`,
  "key.enabled": t`Enabled`,
  "key.rolled": t`Rolled`,
  "key.revoked": t`Revoked`,
  "key.leak_found": t`Found in public`,
  "key.leak_revoked": t`Found in public and revoked`,
};

const GRACE_WORDS: Readonly<Record<number, string>> = {
  0: t`no grace period`,
  60: t`1 minute of grace`,
  3600: t`1 hour of grace`,
  86400: t`1 day of grace`,
  604800: t`7 days of grace`,
};

/** One line of a key's history. */
export type TrailLine = { title: string; details: readonly string[]; actor: string };

/** Describes an audit entry as an event of this key. */
export function toTrailLine(entry: AuditEntry, people: ReadonlyMap<string, string>): TrailLine {
  return {
    title: TITLES[entry.action] ?? entry.action.replace(/^key\./, "").replaceAll("_", " "),
    details: listDetails(entry),
    actor: toMakerName(`${entry.actorType}:${entry.actorId}`, people),
  };
}

/**
 * Whether the entries include the key's creation. Those of a rolled or imported key do not: a roll is recorded for the
 * previous key, and an import for the whole file.
 */
export function hasMaking(entries: readonly Pick<AuditEntry, "action">[]): boolean {
  return entries.some(({ action }) => action === "key.created");
}

function listDetails({ details }: AuditEntry): string[] {
  const { name, scopes, expiresAt, metadata, graceSeconds } = details;
  const { allowedNetworks, rateLimits, quotas, concurrency, source, place } = details;
  return [
    ...(isPair(name) ? [t`Name: ${String(name[0])} → ${String(name[1])}`] : []),
    ...(isPair(scopes) ? [t`Scopes: ${writeScopes(scopes[0])} → ${writeScopes(scopes[1])}`] : []),
    ...(isPair(expiresAt)
      ? [t`Expires: ${writeExpiry(expiresAt[0])} → ${writeExpiry(expiresAt[1])}`]
      : []),
    ...(isPair(allowedNetworks)
      ? [t`Networks: ${writeNetworks(allowedNetworks[0])} → ${writeNetworks(allowedNetworks[1])}`]
      : []),
    ...(isPair(rateLimits)
      ? [t`Rate limits: ${writeRateLimits(rateLimits[0])} → ${writeRateLimits(rateLimits[1])}`]
      : []),
    ...(isPair(quotas) ? [t`Quotas: ${writeQuotas(quotas[0])} → ${writeQuotas(quotas[1])}`] : []),
    ...(isPair(concurrency)
      ? [
          t`Calls at once: ${String(concurrency[0] ?? t`no limit`)} → ${String(concurrency[1] ?? t`no limit`)}`,
        ]
      : []),
    ...(metadata === "changed" ? [t`Metadata changed`] : []),
    ...(typeof graceSeconds === "number"
      ? [t`With ${GRACE_WORDS[graceSeconds] ?? t`${String(graceSeconds)} seconds of grace`}`]
      : []),
    ...(typeof place === "string"
      ? [t`Found at: ${place === "" ? t`no address was given` : place}`]
      : []),
    ...(typeof source === "string" ? [t`Source: ${source}`] : []),
  ];
}

/** True for an old and a new value. */
function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

function writeScopes(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.join(", ") : t`none`;
}

function writeNetworks(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.join(", ") : t`from anywhere`;
}

function writeRateLimits(value: unknown): string {
  const texts = toLimitTexts({
    rateLimits: toList(value, "windowSeconds"),
    quotas: [],
    concurrency: null,
  });
  return texts.length > 0 ? texts.join("; ") : t`none`;
}

function writeQuotas(value: unknown): string {
  const texts = toLimitTexts({ rateLimits: [], quotas: toList(value, "meter"), concurrency: null });
  return texts.length > 0 ? texts.join("; ") : t`none`;
}

/** Older entries may have another shape; those limits are left out. */
function toList<Limit>(value: unknown, member: keyof Limit & string): Limit[] {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return entries.filter(
    (entry): entry is Limit => typeof entry === "object" && entry !== null && member in entry,
  );
}

function writeExpiry(value: unknown): string {
  return typeof value === "string" ? formatInstant(value) : "never";
}
