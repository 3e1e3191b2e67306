import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { listBudgetedTenants } from "#modules/entitlements/index.ts";
import { findSpendState, type SpendState } from "#modules/metering/index.ts";
import { notify, publishEvent } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { tellOfCredit } from "../credits/watch-credit.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { deleteOldAlerts, findSpendCap, insertAlerts } from "./spend-caps.store.ts";
import { CAP_SHARE_WHOLE, toSpendNotice } from "./spend-notice.ts";

const PAGE = 200;
const LINK = "/billings";
/** Roles of those who pay, and of those who answer for the tenant. */
const MAILED = ["owner", "billing"] as const;
/** Longer than any billing period is. */
const ALERTS_KEPT_MS = 2 * 366 * 24 * 3600 * 1000;

/** The shares that are passed. The whole is reached when no further unit fits, since prices seldom come to the cap exactly. */
function listPassed({ spent, cap, isReached }: SpendState, shares: readonly number[]): number[] {
  return shares.filter((share) =>
    share === CAP_SHARE_WHOLE
      ? isReached || spent >= cap
      : spent * BigInt(CAP_SHARE_WHOLE) >= cap * BigInt(share) && spent > 0n,
  );
}

/** Sends the highest share that is new, and records those below it with it. */
async function tell(deps: BillingDeps, tx: Tx, tenantId: TenantId): Promise<boolean> {
  const row = await findSpendCap(tx, tenantId);
  const state = await findSpendState(tx, tenantId);
  if (row === undefined || state === undefined) {
    return false;
  }
  const fresh = await insertAlerts(tx, tenantId, {
    periodFrom: state.periodFrom,
    shares: listPassed(state, row.shares),
    now: deps.clock.now(),
  });
  const share = fresh.at(-1);
  if (share === undefined) {
    return false;
  }
  const { subject, title, body } = toSpendNotice(share, state, deps.clock.now());
  const notice = { tenantId, kind: "spend_cap.threshold_reached", title, body, link: LINK };
  await notify(deps, tx, notice);
  if (deps.mail !== undefined) {
    await mailMembers({ ...deps, ...deps.mail }, tx, { ...notice, subject, roles: MAILED });
  }
  const currency = currencyOf(state.currency);
  await publishEvent(deps, tx, {
    tenantId,
    type: "spend_cap.threshold_reached",
    data: {
      tenantId,
      threshold: share,
      spent: formatMinor(state.spent, currency),
      cap: formatMinor(state.cap, currency),
      currency: currency.code,
      periodStart: state.periodFrom.toISOString(),
      resetAt: state.periodTo.toISOString(),
      text: `${title}\n${body}`,
    },
  });
  return true;
}

/**
 * Compares what tenants with a cap have spent, and what those on a prepaid plan have left, with the shares that they want to hear of. Each share of a cap is sent once in a period: what
 * is recorded and the notice are one transaction. A tenant that fails is tried again with the next run and holds up no other.
 *
 * @returns How many notices went out.
 */
export async function watchSpend(
  deps: BillingDeps,
  { signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  let notified = 0;
  let after: TenantId | undefined;
  while (signal?.aborted !== true) {
    const page = await deps.transact.asOperator((tx) =>
      listBudgetedTenants(tx, { after, limit: PAGE }),
    );
    for (const tenantId of page) {
      for (const tellOf of [tell, tellOfCredit]) {
        try {
          notified += (await deps.transact.asOperator((tx) => tellOf(deps, tx, tenantId))) ? 1 : 0;
        } catch (error) {
          deps.logger.error(
            { err: error, tenantId },
            "The spend of a tenant could not be compared",
          );
        }
      }
    }
    after = page.at(-1);
    if (page.length < PAGE) {
      break;
    }
  }
  const before = new Date(deps.clock.now().getTime() - ALERTS_KEPT_MS);
  await deps.transact.asOperator((tx) => deleteOldAlerts(tx, before));
  return notified;
}
