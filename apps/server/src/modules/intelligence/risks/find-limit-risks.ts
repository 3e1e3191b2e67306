import type { Credits } from "@turnpike/contract/credits";
import type { SpendCap } from "@turnpike/contract/spend-cap";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import { type BillingDeps, getCredits, getSpendCap } from "#modules/billing/index.ts";
import { getLimits } from "#modules/metering/index.ts";
import { systemContext } from "../ask-usage.ts";
import type { FoundInsight } from "../found-insight.ts";
import { toFound } from "./fact.ts";

const DAY_MS = 24 * 60 * 60_000;
const NEAR_PERCENT = 90;
/** Of the credit that was granted and may be used. */
const LOW_PERCENT = 10;
const EXPIRES_WITHIN_DAYS = 14;

/** Of scaled numbers, without rounding up to a limit that is not reached. */
function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((100n * part) / whole);
}

type Looking = { tenantId: TenantId; nowMs: number };

async function findNearQuotas(
  deps: BillingDeps,
  { tenantId, nowMs }: Looking,
): Promise<FoundInsight[]> {
  const { quotas } = await getLimits(deps, systemContext(deps), { tenantId });
  return quotas.flatMap(({ meter, environment, limit, remaining, periodStart, resetAt }) => {
    const percent = limit === 0 ? 0 : Math.floor((100 * (limit - Number(remaining))) / limit);
    return environment === "test" || percent < NEAR_PERCENT
      ? []
      : [
          toFound({
            kind: "quota_near",
            fingerprint: `quota_near ${meter} ${periodStart}`,
            sinceMs: nowMs,
            text: `${String(percent)}% of the quota of ${meter} is used; it resets on ${resetAt.slice(0, 10)}.`,
            action: { do: "change_plan" },
          }),
        ];
  });
}

function findNearCap({ cap, currency, period }: SpendCap, { nowMs }: Looking): FoundInsight[] {
  if (cap === null || period === null) {
    return [];
  }
  const percent = percentOf(toScaled(period.reserved), toScaled(cap));
  if (percent < NEAR_PERCENT && !period.isReached) {
    return [];
  }
  // A period goes on past its end while its invoice waits for the operator.
  const renews =
    Date.parse(period.to) > nowMs
      ? said(`it resets on ${period.to.slice(0, 10)}`)
      : said("it resets once the period that is over is invoiced");
  return [
    toFound({
      kind: "spend_cap_near",
      fingerprint: `spend_cap_near ${period.from} ${cap}`,
      sinceMs: nowMs,
      text: period.isReached
        ? `The spend cap of ${cap} ${currency} is reached: calls are denied until it is raised; ${renews}.`
        : `${String(percent)}% of the spend cap of ${cap} ${currency} is used; calls beyond it are denied, and ${renews}.`,
      action: { do: "change_spend_cap" },
    }),
  ];
}

function findLowCredit(
  { currency, draw, grants, automatic }: Credits,
  { nowMs }: Looking,
): FoundInsight[] {
  const usable = grants.filter(({ state }) => state === "usable");
  const granted = usable.reduce((sum, grant) => sum + toScaled(grant.granted), 0n);
  if (draw === null) {
    return [];
  }
  const percent = percentOf(toScaled(draw.left), granted);
  // Credit that is bought by itself is low again and again.
  const isLow = automatic === null && granted > 0n && percent < LOW_PERCENT;
  if (!(draw.isEmpty || isLow)) {
    return [];
  }
  return [
    toFound({
      kind: "credit_low",
      fingerprint: `credit_low ${usable.map(({ grantId }) => grantId).join(" ")}`,
      sinceMs: nowMs,
      text: draw.isEmpty
        ? `The credit is used up: calls are denied until there is more; ${draw.left} ${currency} is left.`
        : `${draw.left} ${currency} of credit is left, ${String(percent)}% of what was granted; calls beyond it are denied.`,
      action: { do: "add_credit" },
    }),
  ];
}

function findExpiringCredit({ currency, nextExpiry }: Credits, { nowMs }: Looking): FoundInsight[] {
  if (nextExpiry === null || Date.parse(nextExpiry.at) - nowMs > EXPIRES_WITHIN_DAYS * DAY_MS) {
    return [];
  }
  const { at, amount } = nextExpiry;
  return [
    toFound({
      kind: "credit_expiring",
      fingerprint: `credit_expiring ${at}`,
      sinceMs: Date.parse(at) - EXPIRES_WITHIN_DAYS * DAY_MS,
      text: `${amount} ${currency} of credit expires on ${at.slice(0, 10)} unless it is used by then.`,
      action: { do: "open_credit" },
    }),
  ];
}

/** Finds quotas, a spend cap and credit near their end. */
export async function findLimitRisks(
  deps: BillingDeps,
  tenantId: TenantId,
): Promise<FoundInsight[]> {
  const context = systemContext(deps);
  const looking = { tenantId, nowMs: deps.clock.now().getTime() };
  const credits = await getCredits(deps, context, { tenantId, environment: "live" });
  return [
    ...(await findNearQuotas(deps, looking)),
    ...findNearCap(await getSpendCap(deps, context, { tenantId }), looking),
    ...findLowCredit(credits, looking),
    ...findExpiringCredit(credits, looking),
  ];
}
