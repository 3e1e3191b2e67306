import { plural, t } from "@lingui/core/macro";
import type { ApiClient } from "#platform/api-client.ts";
import type { Key } from "../api-keys.queries.ts";
import { foresee, toOffers } from "../key.view-model.ts";

/** A bulk change as the API takes it. */
export type BulkChange = Parameters<ApiClient["keys"]["change"]>[0]["change"];
export type BulkAction = BulkChange["action"];

/** The result of each action, as a participle. */
export const BULK_DONE: Readonly<Record<BulkAction, string>> = {
  disable: t`disabled`,
  enable: t`enabled`,
  revoke: t`revoked`,
  set_expiry: t`given a new expiry`,
};

/** The keys that an action fits. */
export function listFitting(keys: readonly Key[], action: BulkAction): Key[] {
  return keys.filter((key) => {
    const offers = toOffers(key);
    // A rolled key ends with its grace period, so the server leaves it out as well.
    return action === "set_expiry" ? offers.edit && key.rolledToKeyId === null : offers[action];
  });
}

/** The expected key after the change. */
export function foreseeBulk(key: Key, change: BulkChange, nowMs: number): Key {
  if (change.action !== "set_expiry") {
    return foresee(key, change.action, nowMs);
  }
  const isExpiredKey = key.state === "expired";
  return { ...key, expiresAt: change.expiresAt, state: isExpiredKey ? "active" : key.state };
}

/** One request of an undo. */
export type UndoStep = { keyIds: Key["keyId"][]; change: BulkChange };

/**
 * The requests that undo a bulk change. Empty for irreversible changes; keys whose previous expiry has passed are left out.
 *
 * @param before - The changed keys, as they were before.
 */
export function toUndo(before: readonly Key[], change: BulkChange, nowMs: number): UndoStep[] {
  const keyIds = before.map((key) => key.keyId);
  switch (change.action) {
    case "disable":
      return [{ keyIds, change: { action: "enable" } }];
    case "enable":
      return [{ keyIds, change: { action: "disable" } }];
    case "revoke":
      return [];
    case "set_expiry": {
      const possible = before.filter(
        ({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > nowMs,
      );
      return [...Map.groupBy(possible, (key) => key.expiresAt)].map(([expiresAt, keys]) => ({
        keyIds: keys.map((key) => key.keyId),
        change: { action: "set_expiry", expiresAt },
      }));
    }
    default:
      return change satisfies never;
  }
}

/** The result of a change, as sentences. `unchanged` keys needed no change. */
export function toDoneText(
  { action }: BulkChange,
  { changed, unchanged }: { changed: number; unchanged: number },
): string {
  return [
    ...(changed > 0 ? [`${countKeys(changed)} ${toBe(changed)} ${BULK_DONE[action]}.`] : []),
    ...(unchanged > 0 ? [t`${countKeys(unchanged)} needed no change.`] : []),
  ].join(" ");
}

/** The result of an undo, as sentences. `kept` keys could not be restored: their previous expiry has passed. */
export function toUndoneText({ undone, kept }: { undone: number; kept: number }): string {
  return [
    ...(undone > 0
      ? [t`${countKeys(undone)} ${plural(undone, { one: "was", other: "were" })} changed back.`]
      : []),
    ...(kept > 0
      ? [
          t`${countKeys(kept)} ${plural(kept, { one: "keeps", other: "keep" })} the new expiry, because the previous one has passed.`,
        ]
      : []),
  ].join(" ");
}

function toBe(count: number): string {
  return plural(count, { one: "is", other: "are" });
}

/** The bulk action of a shortcut on a selected row; undefined for none. */
export function findBulkShortcut(press: string, keys: readonly Key[]): BulkAction | undefined {
  const fits = (action: BulkAction) => (listFitting(keys, action).length > 0 ? action : undefined);
  switch (press.toLowerCase()) {
    case "d":
      return fits("disable") ?? fits("enable");
    case "x":
      return fits("set_expiry");
    case "delete":
      return fits("revoke");
    default:
      return;
  }
}

/** Keys that failed for one reason. */
export type FailureGroup = { reason: string; names: readonly string[]; namesOmitted: number };

/** Names shown next to a reason; the reason is what helps. */
const NAMES_SHOWN_MAX = 5;

/** Groups failed keys by reason, in their order. */
export function groupFailures(
  failed: readonly { key: Key; reason: string }[],
): readonly FailureGroup[] {
  return [...Map.groupBy(failed, ({ reason }) => reason)].map(([reason, those]) => ({
    reason,
    names: those.slice(0, NAMES_SHOWN_MAX).map(({ key }) => key.name),
    namesOmitted: Math.max(0, those.length - NAMES_SHOWN_MAX),
  }));
}

/** "1 key", "12 keys". */
export function countKeys(count: number): string {
  return plural(count, { one: "1 key", other: `${String(count)} keys` });
}
