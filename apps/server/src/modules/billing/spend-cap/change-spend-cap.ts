import type { SpendCap } from "@turnpike/contract/spend-cap";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Account } from "@turnpike/domain/billing/account/account";
import { lacksWorstMargin } from "@turnpike/domain/billing/catalog/read-rate-card";
import { toBillingMeters } from "@turnpike/domain/billing/catalog/to-billing-plan";
import { changeCap } from "@turnpike/domain/billing/limits/spend-of";
import { StepRefused } from "@turnpike/domain/billing/steps/step";
import { listRuns } from "@turnpike/domain/billing/subscription/subscription";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { writeAudit } from "#modules/audit/index.ts";
import { listMeterRows } from "#modules/catalog/index.ts";
import { shareOf } from "#platform/transact.ts";
import { lockAccount } from "../accounts/accounts.store.ts";
import { changeAccountWithin } from "../accounts/change-account.ts";
import { settledMsOf } from "../accounts/effective-ms.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { toMinorAmount } from "../invoices/to-minor-amount.ts";
import { capOf } from "./cap-of.ts";
import { readSpendCap, readSpendCapRow } from "./get-spend-cap.ts";
import { type SpendCapRow, writeSpendCap } from "./spend-caps.store.ts";

/** A cap of 0 stops all that costs anything. */
function toCap(amount: string, code: string): bigint {
  return toScaled(amount) === 0n
    ? 0n
    : toMinorAmount(amount, { currency: currencyOf(code), pointer: "/amount" });
}

/** Refuses a cap that could not be kept. */
function assertCapHolds({ subscription }: Account, unbounded: ReadonlySet<string>): void {
  const runs = subscription === undefined ? [] : listRuns(subscription);
  for (const { card } of runs.flatMap(({ stretches }) => stretches)) {
    if (card.meterId !== undefined && unbounded.has(card.meterId)) {
      throw new StepRefused(
        "no_worst_margin",
        `A cap cannot be kept on this plan: one event of ${card.meterId} may cost any amount, until the meter has a highest value.`,
      );
    }
  }
}

async function listUnbounded(tx: Tx): Promise<Set<string>> {
  const meters = toBillingMeters(await listMeterRows(tx));
  return new Set([...meters.values()].filter(lacksWorstMargin).map(({ meterId }) => meterId));
}

/** Tells the engine of the cap that counts, which gives the granter of leases what it needs. A tenant that pays nothing has no account. */
async function changeAccountCap(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; cap: bigint | undefined; text: string | null; recordedTo: Date },
): Promise<void> {
  const { tenantId, cap, text, recordedTo } = input;
  const unbounded = cap === undefined ? new Set<string>() : await listUnbounded(tx);
  await changeAccountWithin(deps, tx, context, {
    recordedTo,
    change: {
      key: { tenantId, environment: "live" },
      step: (account, { atMs }) => {
        assertCapHolds(account, unbounded);
        return changeCap(account, { cap, atMs, untilMs: settledMsOf(deps.clock.now().getTime()) });
      },
      events: [{ kind: "spend_cap.changed", details: { cap: text } }],
      noteReason: "",
    },
  });
}

type CapChange = {
  tenantId: TenantId;
  change(before: SpendCapRow): SpendCapRow;
  details: Record<string, string>;
};

async function changeSpendCapWithin(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  { tenantId, change, details, recordedTo }: CapChange & { recordedTo: Date },
): Promise<SpendCap> {
  const account = await lockAccount(tx, { tenantId, environment: "live" });
  const before = await readSpendCapRow(tx, tenantId);
  if (account !== undefined && account.currency !== before.currency) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `The cap is in ${before.currency}, and the plan in ${account.currency}.`,
      extensions: { reason: "other_currency" },
    });
  }
  const row = change(before);
  const currency = currencyOf(row.currency);
  const textOf = (cap: bigint | null | undefined) =>
    cap === null || cap === undefined ? null : formatMinor(cap, currency);
  await writeSpendCap(tx, tenantId, { row, now: deps.clock.now() });
  const cap = capOf(row);
  if (account !== undefined && cap !== capOf(before)) {
    await changeAccountCap(deps, tx, context, { tenantId, cap, text: textOf(cap), recordedTo });
  }
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "spend_cap.changed",
    entityType: "tenant",
    entityId: tenantId,
    details: {
      tenant_cap: [textOf(before.tenantCap), textOf(row.tenantCap)],
      operator_cap: [textOf(before.operatorCap), textOf(row.operatorCap)],
      shares: [before.shares.join(", "), row.shares.join(", ")],
      currency: row.currency,
      ...details,
    },
  });
  return await readSpendCap(tx, tenantId);
}

async function changeSpendCap(
  deps: BillingDeps,
  context: CallContext,
  change: CapChange,
): Promise<SpendCap> {
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(
    (tx) => changeSpendCapWithin(deps, tx, context, { ...change, recordedTo }),
    shareOf(context.actor),
  );
}

/**
 * Sets or removes a tenant's own spend cap.
 *
 * @param input.amount - Null removes it.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (amount), `CONFLICT` on a plan whose
 *   usage may cost any amount.
 */
export async function putSpendCap(
  deps: BillingDeps,
  context: CallContext,
  input: { tenantId: TenantId; amount: string | null; shares?: readonly number[] | undefined },
): Promise<SpendCap> {
  const { tenantId, amount, shares } = input;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  return await changeSpendCap(deps, context, {
    tenantId,
    details: {},
    change: (before) => ({
      ...before,
      tenantCap: amount === null ? null : toCap(amount, before.currency),
      shares: shares === undefined ? before.shares : [...new Set(shares)].toSorted((a, b) => a - b),
    }),
  });
}

/**
 * Sets or removes the operator's spend cap for a tenant. For the operator's actors.
 *
 * @param input.amount - Null removes it.
 * @throws {AppError} Like {@link putSpendCap}.
 */
export async function setOperatorSpendCap(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, amount, reason }: { tenantId: TenantId; amount: string | null; reason: string },
): Promise<SpendCap> {
  // No role has the scope.
  assertMayInTenant(context.actor, "invoices:write", tenantId);
  return await changeSpendCap(deps, context, {
    tenantId,
    details: { reason },
    change: (before) => ({
      ...before,
      operatorCap: amount === null ? null : toCap(amount, before.currency),
    }),
  });
}
