import type { Credits } from "@turnpike/contract/credits";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { compareGrants } from "@turnpike/domain/billing/invoices/grant";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { type Currency, findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { startOfMonth } from "@turnpike/domain/time/period";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { shareOf } from "#platform/transact.ts";
import { type AccountKey, listAccounts } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { readCreditAlerts } from "./credit-alerts.store.ts";
import {
  findAutomaticTopUp,
  type GrantRow,
  listGrants,
  sumAutomaticTopUps,
} from "./credits.store.ts";
import { findDraw, toDrawReply } from "./read-draw.ts";
import { findOffer } from "./top-up-settings.ts";

type Grant = Credits["grants"][number];

type At = { now: Date; usableSince: Date };

function stateOf(
  { left, effectiveAt, expiresAt }: GrantRow,
  { now, usableSince }: At,
): Grant["state"] {
  if (expiresAt !== null && expiresAt <= usableSince) {
    return "expired";
  }
  if (left === "0") {
    return "used";
  }
  return effectiveAt > now ? "upcoming" : "usable";
}

function toGrant(row: GrantRow, { currency, ...at }: At & { currency: Currency }): Grant {
  const { grantId, kind, priority, reason, invoiceId, invoiceNumber } = row;
  return {
    grantId,
    kind,
    state: stateOf(row, at),
    isBought: invoiceId !== null,
    granted: formatMinor(BigInt(row.granted), currency),
    left: formatMinor(BigInt(row.left), currency),
    priority,
    grantedAt: row.grantedAt.toISOString(),
    effectiveAt: row.effectiveAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    reason,
    invoiceId,
    invoiceNumber,
  };
}

/** In the order in which invoices use them, promotional credit first; then what is used up, newest first. */
function inOrder(rows: readonly GrantRow[]): GrantRow[] {
  const toKeys = ({ priority, effectiveAt, expiresAt }: GrantRow) => ({
    priority,
    effectiveAtMs: effectiveAt.getTime(),
    expiresAtMs: expiresAt?.getTime(),
  });
  const live = rows.filter(({ left }) => left !== "0");
  const kindRank = ({ kind }: GrantRow) => (kind === "promotional" ? 0 : 1);
  return [
    ...live.toSorted(
      (a, b) =>
        kindRank(a) - kindRank(b) || compareGrants(toKeys(a), toKeys(b)) || a.place - b.place,
    ),
    ...rows.filter(({ left }) => left === "0"),
  ];
}

function sumOf(rows: readonly GrantRow[], currency: Currency): string {
  return formatMinor(
    rows.reduce((sum, { left }) => sum + BigInt(left), 0n),
    currency,
  );
}

function findNextExpiry(rows: readonly GrantRow[], currency: Currency): Credits["nextExpiry"] {
  const times = rows.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt.getTime()]));
  if (times.length === 0) {
    return null;
  }
  const nextMs = Math.min(...times);
  const next = rows.filter(({ expiresAt }) => expiresAt?.getTime() === nextMs);
  return { at: new Date(nextMs).toISOString(), amount: sumOf(next, currency) };
}

async function readAutomatic(
  tx: Tx,
  key: AccountKey,
  { currency, now }: { currency: Currency; now: Date },
): Promise<Credits["automatic"]> {
  const row = await findAutomaticTopUp(tx, key);
  if (row === undefined) {
    return null;
  }
  const bought = await sumAutomaticTopUps(tx, key, startOfMonth(now));
  return {
    threshold: formatMinor(BigInt(row.threshold), currency),
    amount: formatMinor(BigInt(row.amount), currency),
    monthLimit: formatMinor(BigInt(row.monthLimit), currency),
    boughtThisMonth: formatMinor(bought, currency),
  };
}

/** {@link getCredits} for an actor who may. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant). */
export async function readCredits(deps: BillingDeps, tx: Tx, key: AccountKey): Promise<Credits> {
  const [account] = await listAccounts(tx, [key]);
  const code = account?.currency ?? (await findEntitlement(tx, key.tenantId))?.terms.currency;
  const currency = findCurrency(code);
  if (currency === undefined) {
    throw resourceNotFound("tenant");
  }
  const now = new Date(deps.clock.now().getTime() + (account?.aheadMs ?? 0));
  const rows = inOrder(await listGrants(tx, key));
  const draw = account === undefined ? undefined : await findDraw(deps, tx, key);
  // On a prepaid plan credit that expires goes on to pay for usage of its period.
  const usableSince = draw?.since ?? now;
  const at = { now, usableSince };
  const ofState = (state: Grant["state"]) => rows.filter((row) => stateOf(row, at) === state);
  const usable = ofState("usable");
  const offer = findOffer(deps.billing.topUps, currency);
  const alerts = await readCreditAlerts(tx, key.tenantId);
  return {
    ...key,
    currency: currency.code,
    promotional: sumOf(
      usable.filter(({ kind }) => kind === "promotional"),
      currency,
    ),
    prepaid: sumOf(
      usable.filter(({ kind }) => kind === "prepaid"),
      currency,
    ),
    nextExpiry: findNextExpiry([...usable, ...ofState("upcoming")], currency),
    draw: await toDrawReply(tx, key, { draw, currency }),
    alerts: {
      shares: [...alerts.shares],
      below: alerts.below === null ? null : formatMinor(alerts.below, currency),
    },
    grants: rows.map((row) => toGrant(row, { ...at, currency })),
    topUps:
      offer === undefined || account === undefined
        ? null
        : {
            isTaxed: deps.billing.topUps?.isTaxed === true,
            amounts: [...offer.amounts],
            min: offer.min,
            max: offer.max,
          },
    automatic: await readAutomatic(tx, key, { currency, now }),
  };
}

/**
 * Gets the credit of a tenant: what may be used, in which order, and what expires next.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function getCredits(
  deps: BillingDeps,
  context: CallContext,
  key: AccountKey,
): Promise<Credits> {
  assertMayInTenant(context.actor, "billing:read", key.tenantId);
  return await deps.transact.asOperator((tx) => readCredits(deps, tx, key), shareOf(context.actor));
}
