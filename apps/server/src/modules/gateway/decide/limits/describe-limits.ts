import type { HardLimit, LeaseHolder } from "#modules/metering/index.ts";
import type { PermitCounts } from "#platform/permit-counts.ts";
import type { CallToDecide, LimitScope, Subject } from "../call-to-decide.ts";
import type { Rates } from "./decide-rates.ts";
import { isCapOnly } from "./hard-limits.ts";
import { type LimitView, toConcurrencyView, toQuotaView, toRateLimitView } from "./limit-view.ts";
import { LIMIT_SCOPES, type SubjectLimits } from "./subject-limits.ts";

/** Calls under way on all nodes, this one included, where there is a limit on them. */
export type HeldInCluster = Readonly<Record<LimitScope, number | undefined>>;

/** Describes the state of limits from what this process knows of them. */
export function createDescribeLimits(
  deps: { leases: Pick<LeaseHolder, "remaining">; callCounts: Pick<PermitCounts, "held"> },
  { concurrencyOf, quotasOf }: SubjectLimits,
) {
  function viewQuota({ tenant, key }: Subject, limit: HardLimit, remaining: number): LimitView {
    const { rateLimits } = limit.keyId === undefined ? tenant.terms : key;
    const isNameTaken = rateLimits.some(({ name }) => name === limit.meterId);
    return toQuotaView(limit, remaining, isNameTaken);
  }

  function viewConcurrency(
    subject: Subject,
    scope: LimitScope,
    heldInCluster: HeldInCluster | undefined,
  ): LimitView | undefined {
    const concurrency = concurrencyOf(subject, scope);
    return (
      concurrency &&
      toConcurrencyView({
        scope,
        limit: concurrency.limit,
        held: heldInCluster?.[scope] ?? deps.callCounts.held(concurrency.owner),
        others: scope === "tenant" ? subject.tenant.terms : subject.key,
      })
    );
  }

  function viewAll(
    subject: Subject,
    call: CallToDecide,
    input: {
      rates: Rates;
      quotas: readonly (HardLimit | undefined)[];
      nowMs: number;
      held?: HeldInCluster | undefined;
    },
  ): LimitView[] {
    const { rates, quotas, nowMs, held } = input;
    const limits: LimitView[] = [];
    for (const verdicts of [rates.tenant, rates.key]) {
      for (const verdict of verdicts) {
        limits.push(toRateLimitView(verdict, nowMs));
      }
    }
    for (const limit of quotas) {
      const remaining = limit === undefined ? undefined : deps.leases.remaining(limit);
      // A quota that this process has not asked about is unknown, and no call waits just to report it.
      if (limit !== undefined && remaining !== undefined && !isCapOnly(limit)) {
        limits.push(viewQuota(subject, limit, remaining));
      }
    }
    if (call.holdsPermits === true) {
      for (const scope of LIMIT_SCOPES) {
        const view = viewConcurrency(subject, scope, held);
        if (view !== undefined) {
          limits.push(view);
        }
      }
    }
    return limits;
  }

  function viewWith(
    subject: Subject,
    call: CallToDecide,
    known: { rates: Rates; nowMs: number; held?: HeldInCluster | undefined },
  ): LimitView[] {
    const quotas = quotasOf(subject, call.meterId, known.nowMs);
    return viewAll(subject, call, { ...known, quotas });
  }

  /** Quotas whose remainder this process does not know yet. */
  function listUnknown(subject: Subject, meterId: string, nowMs: number): HardLimit[] {
    return quotasOf(subject, meterId, nowMs).filter(
      (limit): limit is HardLimit =>
        limit !== undefined && !isCapOnly(limit) && deps.leases.remaining(limit) === undefined,
    );
  }

  return { viewQuota, viewAll, viewWith, listUnknown };
}

export type DescribeLimits = ReturnType<typeof createDescribeLimits>;
