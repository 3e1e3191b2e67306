import type { RaisedConfidence } from "@turnpike/contract/insight-feedback";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { forgottenAtMs, requiredConfidence } from "@turnpike/domain/insights/required-confidence";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { forgetVotesAgainst, type Likeness } from "./feedback.store.ts";
import { readVotes } from "./heed-feedback.ts";

async function listRaised(tx: Tx, tenantId: TenantId, nowMs: number): Promise<RaisedConfidence[]> {
  return (await readVotes(tx, tenantId)).flatMap(({ measure, dimension, votes }) => {
    const untilMs = forgottenAtMs(votes, nowMs);
    return untilMs === undefined
      ? []
      : [
          {
            measure,
            dimension,
            required: requiredConfidence(votes, nowMs),
            votes: votes.filter(({ isUseful }) => !isUseful).length,
            until: new Date(untilMs).toISOString(),
          },
        ];
  });
}

/** Lists which anomalies are shown less often because of feedback. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function listFeedback(
  deps: AppServices,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<{ items: RaisedConfidence[] }> {
  assertMayInTenant(context.actor, "usage:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return { items: await listRaised(tx, tenantId, deps.clock.now().getTime()) };
  });
}

/**
 * Shows anomalies as usual again: takes back that others like them were not useful.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function resetFeedback(
  deps: AppServices,
  context: CallContext,
  { tenantId, measure, dimension }: Likeness & { tenantId: TenantId },
): Promise<{ items: RaisedConfidence[] }> {
  assertMayInTenant(context.actor, "alerts:write", tenantId);
  assertMayInTenant(context.actor, "usage:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const votes = await forgetVotesAgainst(tx, tenantId, { measure, dimension });
    if (votes > 0) {
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "insight_feedback.reset",
        entityType: "tenant",
        entityId: tenantId,
        details: { measure, dimension, votes },
      });
    }
    return { items: await listRaised(tx, tenantId, deps.clock.now().getTime()) };
  });
}
