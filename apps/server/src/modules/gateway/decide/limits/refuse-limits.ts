import type { SpendNotice } from "@turnpike/domain/limits/lease-state";
import type { HardLimit, LeaseHolder } from "#modules/metering/index.ts";
import type { CallToDecide, LimitScope, Subject } from "../call-to-decide.ts";
import type { DescribeLimits } from "./describe-limits.ts";
import { type LimitView, toConcurrencyView, toRateLimitView } from "./limit-view.ts";
import type { LimitsRefusal } from "./limits-outcome.ts";
import type { RateLimitVerdict } from "./rate-limiter.ts";

/** When units that other processes hold may be free, or a call that is under way may be over. */
const COME_BACK_MS = 1_000;

/**
 * Says which limit refuses a call, and when trying again can help.
 *
 * @param deps.viewLimits - The state of every limit when nothing was taken.
 */
export function createRefuseLimits(deps: {
  leases: Pick<LeaseHolder, "remaining">;
  viewQuota: DescribeLimits["viewQuota"];
  viewLimits: (subject: Subject, call: CallToDecide, nowMs: number) => LimitView[];
}) {
  const { viewQuota, viewLimits } = deps;

  function refuseRate(
    subject: Subject,
    call: CallToDecide,
    input: { refused: RateLimitVerdict; nowMs: number },
  ): LimitsRefusal {
    const { rateLimit, scope, decision } = input.refused;
    const whose = scope === "key" ? " of this API key" : "";
    return {
      kind: "refused",
      code: "RATE_LIMITED",
      detail: `The rate limit${whose} of ${String(rateLimit.limit)} requests in ${String(rateLimit.windowSeconds)} s is reached.`,
      limit: toRateLimitView(input.refused, input.nowMs),
      limits: viewLimits(subject, call, input.nowMs),
      retryAfterMs: decision.retryAfterMs,
    };
  }

  function refuseConcurrency(
    subject: Subject,
    call: CallToDecide,
    input: { scope: LimitScope; limit: number; nowMs: number },
  ): LimitsRefusal {
    const { scope, limit, nowMs } = input;
    const others = scope === "tenant" ? subject.tenant.terms : subject.key;
    const whose = scope === "key" ? "this API key" : "the account of this API key";
    return {
      kind: "refused",
      code: "CONCURRENCY_LIMITED",
      detail: `${String(limit)} calls of ${whose} may be under way at once, and so many are.`,
      limit: toConcurrencyView({ scope, limit, held: limit, others }),
      limits: viewLimits(subject, call, nowMs),
      retryAfterMs: COME_BACK_MS,
    };
  }

  function refuseQuota(
    subject: Subject,
    call: CallToDecide,
    input: { refused: HardLimit; mayComeBack: boolean; nowMs: number },
  ): LimitsRefusal {
    const { refused, nowMs } = input;
    const limit = viewQuota(subject, refused, deps.leases.remaining(refused) ?? 0);
    const whose = refused.keyId === undefined ? "" : " of this API key";
    const quota = `quota${whose} of ${String(refused.limit)} ${refused.meterId} in this period`;
    return {
      kind: "refused",
      code: "QUOTA_EXCEEDED",
      detail: toQuotaDetail(quota, call.cost, limit.remaining),
      limit,
      limits: viewLimits(subject, call, nowMs),
      retryAfterMs: retryAfterQuotaMs(input, call.cost),
    };
  }

  function refuseSpend(
    subject: Subject,
    call: CallToDecide,
    input: { spend: SpendNotice; mayComeBack: boolean; nowMs: number },
  ): LimitsRefusal {
    const { spend, mayComeBack, nowMs } = input;
    return {
      kind: "refused",
      ...toSpendRefusal(spend),
      limit: undefined,
      limits: viewLimits(subject, call, nowMs),
      retryAfterMs: mayComeBack ? COME_BACK_MS : undefined,
    };
  }

  function refuseUnits(
    subject: Subject,
    call: CallToDecide,
    input: {
      refused: HardLimit;
      mayComeBack: boolean;
      spend: SpendNotice | undefined;
      nowMs: number;
    },
  ): LimitsRefusal {
    const { spend } = input;
    return spend === undefined
      ? refuseQuota(subject, call, input)
      : refuseSpend(subject, call, { ...input, spend });
  }

  return { refuseRate, refuseConcurrency, refuseQuota, refuseUnits };
}

function toSpendRefusal(spend: SpendNotice) {
  return spend.of === "cap"
    ? {
        code: "SPEND_CAP_REACHED" as const,
        detail: `This call does not fit under the spend cap of ${spend.cap} ${spend.currency} of this account: ${spend.used} ${spend.currency} are spent in this period or held for calls. The cap can be raised in the console, under Billing.`,
      }
    : {
        code: "PAYMENT_REQUIRED" as const,
        detail: `This call costs more than the credit of this account has left: ${spend.left} ${spend.currency} before tax. Credit can be bought in the console, under Billing; calls pass again as soon as it is paid.`,
      };
}

function toQuotaDetail(quota: string, cost: number, remaining: number): string {
  if (remaining === 0) {
    return `The ${quota} is used up.`;
  }
  // Events may leave a fraction, which is no room for a call.
  return cost === 0 && remaining < 1
    ? `The ${quota} has less than one unit left.`
    : `The call takes ${String(cost)}, and the ${quota} has ${String(remaining)} left.`;
}

/** Undefined for more than the whole quota: no later period has room for it either. */
function retryAfterQuotaMs(
  input: { refused: HardLimit; mayComeBack: boolean; nowMs: number },
  cost: number,
): number | undefined {
  if (cost > Math.max(1, input.refused.limit)) {
    return;
  }
  return input.mayComeBack ? COME_BACK_MS : input.refused.periodEndMs - input.nowMs;
}
