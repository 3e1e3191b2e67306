import type { ApiClient } from "#platform/api-client.ts";
import type { Key } from "../api-keys.queries.ts";
import { foresee, toOffers } from "../key.view-model.ts";

/** What many keys are changed to, as the API takes it. */
export type BulkChange = Parameters<ApiClient["keys"]["change"]>[0]["change"];
export type BulkAction = BulkChange["action"];

/** "disabled", "given an expiry": what became of the keys. */
export const BULK_DONE: Readonly<Record<BulkAction, string>> = {
  disable: "disabled",
  enable: "enabled",
  revoke: "revoked",
  set_expiry: "given a new expiry",
};

/** Those of the keys that an action fits. */
export function listFitting(keys: readonly Key[], action: BulkAction): Key[] {
  return keys.filter((key) => {
    const offers = toOffers(key);
    // A rolled key ends with its grace period: the server leaves it out as well.
    return action === "set_expiry" ? offers.edit && key.rolledToKeyId === null : offers[action];
  });
}

/** A key as it will be when the change has happened. */
export function foreseeBulk(key: Key, change: BulkChange, nowMs: number): Key {
  if (change.action !== "set_expiry") {
    return foresee(key, change.action, nowMs);
  }
  const isExpiredKey = key.state === "expired";
  return { ...key, expiresAt: change.expiresAt, state: isExpiredKey ? "active" : key.state };
}

/** One request that takes a change back. */
export type UndoStep = { keyIds: Key["keyId"][]; change: BulkChange };

/**
 * What takes a change of many keys back. Empty for what is for good, and for what cannot be as it was: an expiry that is over.
 *
 * @param before - The keys that were changed, as they were.
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

/** What was changed, as sentences. `unchanged` keys were as asked already. */
export function toDoneText(
  { action }: BulkChange,
  { changed, unchanged }: { changed: number; unchanged: number },
): string {
  return [
    ...(changed > 0 ? [`${countKeys(changed)} ${toBe(changed)} ${BULK_DONE[action]}.`] : []),
    ...(unchanged > 0 ? [`${countKeys(unchanged)} needed no change.`] : []),
  ].join(" ");
}

/** What was taken back, as sentences. `kept` keys could not be: what they had before is over. */
export function toUndoneText({ undone, kept }: { undone: number; kept: number }): string {
  return [
    ...(undone > 0 ? [`${countKeys(undone)} ${undone === 1 ? "was" : "were"} changed back.`] : []),
    ...(kept > 0
      ? [
          `${countKeys(kept)} ${kept === 1 ? "keeps" : "keep"} the new expiry, because the previous one has passed.`,
        ]
      : []),
  ].join(" ");
}

function toBe(count: number): string {
  return count === 1 ? "is" : "are";
}

/** The action that a key pressed on a chosen row means for all that are chosen; undefined for none. */
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

/** Names that stand beside a reason: it is the reason that helps. */
const NAMES_SHOWN_MAX = 5;

/** Says each reason once, with the keys that it kept back, in their order. */
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
  return count === 1 ? "1 key" : `${String(count)} keys`;
}
