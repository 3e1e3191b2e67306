import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { type CreditState, findCreditState } from "#modules/metering/index.ts";
import { notify, publishEvent } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import {
  type CreditAlerts,
  lockCreditAlerts,
  readCreditAlerts,
  sumGranted,
  writeCreditAlerts,
} from "./credit-alerts.store.ts";
import { toCreditNotice } from "./credit-notice.ts";
import { syncOutOfCredit } from "./out-of-credit.ts";
import { findDraw } from "./read-draw.ts";

const LINK = "/billings";
const WHOLE = 100n;
/** Roles of those who pay, and of those who answer for the tenant. */
const MAILED = ["owner", "billing"] as const;

/**
 * The lowest share that is reached. Nothing is left when no further unit fits, since prices seldom come to the credit exactly. Of credit
 * that was used up before it was looked at, only that can be said.
 */
function findReached(
  { left, isEmpty }: CreditState,
  { shares, whole, granted }: CreditAlerts,
): number | undefined {
  const reached = shares.filter((share) =>
    share === 0
      ? isEmpty && granted > 0n
      : whole > 0n && (isEmpty || left * WHOLE <= whole * BigInt(share)),
  );
  return reached.length === 0 ? undefined : Math.min(...reached);
}

/** What is left with its tax, as the console shows it, in minor units. */
async function readLeft(deps: BillingDeps, tx: Tx, tenantId: TenantId): Promise<bigint> {
  return (await findDraw(deps, tx, { tenantId, environment: "live" }))?.left ?? 0n;
}

/** Credit that was added since is the new whole, of which no notice went out. */
async function withFreshCredit(
  tx: Tx,
  alerts: CreditAlerts,
  { tenantId, state }: { tenantId: TenantId; state: CreditState },
): Promise<CreditAlerts> {
  const granted = await sumGranted(tx, tenantId);
  return alerts.granted === granted
    ? alerts
    : { ...alerts, granted, whole: state.left, toldShare: null, toldBelow: false };
}

/**
 * Tells the members of a tenant what is left of its credit where that is news: at the lowest share that is reached, or at a sum. What is
 * recorded and the notice are one transaction. Its standing says whether calls are refused.
 *
 * @returns True when a notice went out.
 */
export async function tellOfCredit(
  deps: BillingDeps,
  tx: Tx,
  tenantId: TenantId,
): Promise<boolean> {
  const state = await findCreditState(tx, tenantId);
  if (state === undefined) {
    return false;
  }
  await syncOutOfCredit(deps, tx, { tenantId, state });
  await lockCreditAlerts(tx, tenantId);
  const before = await readCreditAlerts(tx, tenantId);
  const alerts = await withFreshCredit(tx, before, { tenantId, state });
  const reached = findReached(state, alerts);
  const isLower =
    reached !== undefined && (alerts.toldShare === null || reached < alerts.toldShare);
  const { below } = alerts;
  // Before tax less is left than with it, so this alone often says no.
  const mayBeBelow = below !== null && !alerts.toldBelow && state.left < below;
  const left = isLower || mayBeBelow ? await readLeft(deps, tx, tenantId) : 0n;
  const isBelow = mayBeBelow && left < below;
  const after = {
    ...alerts,
    toldShare: isLower ? reached : alerts.toldShare,
    toldBelow: alerts.toldBelow || isBelow,
  };
  if (isLower || isBelow || before.granted !== after.granted) {
    await writeCreditAlerts(tx, tenantId, after);
  }
  if (!isLower && !isBelow) {
    return false;
  }
  const currency = currencyOf(state.currency);
  const share = isLower ? reached : undefined;
  const text = formatMinor(left, currency);
  const { subject, title, body } = toCreditNotice(share, `${text} ${currency.code}`);
  const notice = { tenantId, kind: "credit.threshold_reached", title, body, link: LINK };
  await notify(deps, tx, notice);
  if (deps.mail !== undefined) {
    await mailMembers({ ...deps, ...deps.mail }, tx, { ...notice, subject, roles: MAILED });
  }
  await publishEvent(deps, tx, {
    tenantId,
    type: "credit.threshold_reached",
    data: {
      tenantId,
      threshold: share ?? null,
      left: text,
      currency: currency.code,
      text: `${title}\n${body}`,
    },
  });
  return true;
}
