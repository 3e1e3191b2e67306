import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { hostOf, type ModelSettings } from "./model-settings.ts";
import { findSwitch } from "./model-switch.store.ts";
import { correctTokens, deleteOldTokens, takeTokens } from "./model-tokens.store.ts";
import { toDay } from "./switch-model.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const KEPT_DAYS = 90;
/** No provider counts more for one call; what says so is not believed. */
const TOKENS_BELIEVED_MAX = 10_000_000;

/** A call to the model is not made. */
export class ModelNotAsked extends Error {
  override readonly name = "ModelNotAsked";
  readonly reason: "switched_off" | "over_budget";

  constructor(reason: ModelNotAsked["reason"]) {
    super(`The model is not asked: ${reason}.`);
    this.reason = reason;
  }
}

export type Spending = {
  /**
   * Reserves tokens for a call that is about to be made, and writes the audit entry of the first.
   *
   * @returns What corrects the reservation once it is known how many tokens there were; not called, the reservation stays.
   * @throws {ModelNotAsked}
   */
  reserve(tokens: number): Promise<(used: number) => Promise<void>>;
};

/** Keeps one question within the budget of its tenant, and behind the operator's switch, over all processes. */
export function createSpending(
  deps: AppServices & { model: ModelSettings },
  context: CallContext,
  { tenantId, question }: { tenantId: TenantId; question: string },
): Spending {
  const { model } = deps;
  let isFirst = true;

  return {
    async reserve(tokens) {
      const now = deps.clock.now();
      const day = toDay(now);
      await deps.transact.asTenant(tenantId, async (tx) => {
        if (!(model.isEnabled && ((await findSwitch(tx))?.is_on ?? true))) {
          throw new ModelNotAsked("switched_off");
        }
        const tokensMax = model.tokensPerDay;
        if (!(await takeTokens(tx, { tenantId, day, tokens, tokensMax }))) {
          throw new ModelNotAsked("over_budget");
        }
        if (isFirst) {
          const before = toDay(new Date(now.getTime() - KEPT_DAYS * DAY_MS));
          await deleteOldTokens(tx, { tenantId, day: before });
          await writeAudit(deps, tx, context, {
            tenantId,
            action: "model.asked",
            entityType: "model",
            entityId: model.name,
            details: { host: hostOf(model), question },
          });
        }
      });
      isFirst = false;
      return async (used) => {
        const counted = Math.min(Math.max(0, Math.ceil(used)), TOKENS_BELIEVED_MAX);
        await deps.transact.asTenant(tenantId, (tx) =>
          correctTokens(tx, { tenantId, day, tokens: counted - tokens }),
        );
      };
    },
  };
}
