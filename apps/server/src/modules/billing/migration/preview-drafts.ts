import type { DraftsRow, DraftsTotals } from "@turnpike/contract/plan-drafts-preview";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { listPlanDrafts } from "#modules/catalog/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { previewMigration } from "./preview-migration.ts";

/** How far an earlier answer came. */
export type DraftsPlace = { planId: string; tenantId: TenantId };

/** What says that a draft cannot be published, in words; other failures end the answer. */
function toFault(error: unknown): string {
  if (error instanceof AppError && error.code === "INVALID_REQUEST") {
    return error.message;
  }
  throw error;
}

/**
 * Compares, for every subscriber of every plan that has a draft, what its last period cost with what it would cost if all drafts were
 * published and it were moved: plan after plan, in the order of their ids, each row as {@link previewMigration} gives it. Subscribers of
 * other plans keep what they pay.
 *
 * @param input.after - Leaves out rows up to this one, to go on where an answer broke off.
 * @returns The last one says that the answer is whole, and how many plans are in it.
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function previewDrafts(
  deps: BillingDeps,
  context: CallContext,
  { after }: { after?: DraftsPlace | undefined },
): Promise<AsyncGenerator<DraftsRow | DraftsTotals>> {
  assertMay(context.actor, "catalog:read");
  assertMay(context.actor, "billing:read");
  const { items } = await listPlanDrafts(deps, context);
  const plans = items
    .filter(({ isNew }) => !isNew)
    .toSorted((a, b) => (a.planId < b.planId ? -1 : 1));
  const left = plans.filter(({ planId }) => planId >= (after?.planId ?? ""));

  async function* rows(): AsyncGenerator<DraftsRow | DraftsTotals> {
    for (const { planId, name } of left) {
      const from = after?.planId === planId ? after.tenantId : undefined;
      const found = await previewMigration(deps, context, {
        ...{ planId, to: "draft", after: from },
      }).catch(toFault);
      if (typeof found === "string") {
        yield { kind: "fault", planId, planName: name, fault: found };
        continue;
      }
      for await (const row of found) {
        if (row.kind === "subscriber") {
          yield { ...row, planId, planName: name };
        }
      }
    }
    yield { kind: "end", plans: plans.length };
  }
  return rows();
}
