import { t } from "@lingui/core/macro";
import type { Insight } from "#components/insights/insights.queries.ts";

/** What can be done with a key in place: its limits and expiry changed, or the key revoked. */
export type KeyTask = { task: "edit" | "revoke"; label: string };

const LIMIT: KeyTask = { task: "edit", label: t`Limit key` };
const EXTEND: KeyTask = { task: "edit", label: t`Extend key` };
const NARROW: KeyTask = { task: "edit", label: t`Review scopes` };
const REVOKE: KeyTask = { task: "revoke", label: t`Revoke key` };

/**
 * What can be done with the key of an insight: `main` in place of the link of its action, `others` besides. Nothing for those who
 * may not change keys, and for insights without a key.
 */
export function listKeyTasks(
  { action, evidence }: Pick<Insight, "action" | "evidence">,
  mayWriteKeys: boolean,
): { keyId: string | undefined; main: KeyTask | undefined; others: KeyTask[] } {
  const cause = evidence?.cause;
  const causing = cause?.dimension === "key" && cause.value !== "" ? cause.value : undefined;
  const keyId = "keyId" in action ? String(action.keyId) : causing;
  if (keyId === undefined || !mayWriteKeys) {
    return { keyId, main: undefined, others: [] };
  }
  switch (action.do) {
    case "limit_key":
      return { keyId, main: LIMIT, others: [REVOKE] };
    case "revoke_key":
      return { keyId, main: REVOKE, others: [LIMIT] };
    case "extend_key":
      return { keyId, main: EXTEND, others: [REVOKE] };
    case "narrow_key":
      return { keyId, main: NARROW, others: [REVOKE] };
    default:
      return { keyId, main: undefined, others: [LIMIT, REVOKE] };
  }
}
