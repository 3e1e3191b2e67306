import type { CallContext } from "@turnpike/domain/access/actor";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { startOfMonth } from "@turnpike/domain/time/period";
import type { BillingDeps } from "../billing-deps.ts";
import { changeInvoice } from "../invoices/change-invoice.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { issueCreditInvoice } from "./buy-credit.ts";
import {
  type LowAccountRow,
  listLapsedTopUps,
  listLowAccounts,
  sumAutomaticTopUps,
} from "./credits.store.ts";
import { findDraw } from "./read-draw.ts";

const BATCH = 100;

const TOP_UP_CONTEXT: CallContext = {
  actor: { type: "system", id: "billing" },
  requestId: "billing.topUps",
};

/**
 * True when as much is left as the customer wants: on a prepaid plan after what calls have drawn, which is on no invoice yet, or else,
 * as before a change to such a plan, by the ledger.
 */
async function hasEnough(deps: BillingDeps, row: LowAccountRow): Promise<boolean> {
  const { tenantId, environment, threshold, left } = row;
  const key = { tenantId, environment };
  const draw = row.isDrawing
    ? await deps.transact.asOperator((tx) => findDraw(deps, tx, key))
    : undefined;
  return (draw?.left ?? BigInt(left)) >= BigInt(threshold);
}

async function topUp(deps: BillingDeps, row: LowAccountRow): Promise<boolean> {
  const { tenantId, environment, amount, monthLimit, currency } = row;
  const key = { tenantId, environment };
  const since = startOfMonth(deps.clock.now());
  const bought = await deps.transact.asOperator((tx) => sumAutomaticTopUps(tx, key, since));
  if (bought + BigInt(amount) > BigInt(monthLimit) || (await hasEnough(deps, row))) {
    return false;
  }
  await issueCreditInvoice(deps, TOP_UP_CONTEXT, {
    key,
    amount: formatMinor(BigInt(amount), currencyOf(currency)),
    event: "top_up.automatic",
  });
  return true;
}

/**
 * Issues the invoices of credit that customers want to be bought by itself, for all accounts in which too little is left. One open
 * invoice for credit is enough, so running it twice, or on two processes, issues one.
 *
 * @returns How many were issued.
 */
export async function topUpLowAccounts(
  deps: BillingDeps,
  { signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  let issued = 0;
  let after: TenantId | undefined;
  while (signal?.aborted !== true) {
    const rows = await deps.transact.asOperator((tx) =>
      listLowAccounts(tx, { after, limit: BATCH }),
    );
    for (const row of rows) {
      try {
        issued += (await topUp(deps, row)) ? 1 : 0;
      } catch (error) {
        // What the operator no longer sells, for example: the customer is no worse off than without.
        const level = error instanceof AppError ? "warn" : "error";
        deps.logger[level]({ err: error, tenantId: row.tenantId }, "Credit could not be bought");
      }
    }
    after = rows.at(-1)?.tenantId;
    if (rows.length < BATCH) {
      break;
    }
  }
  return issued;
}

/**
 * Voids invoices for credit that were not paid by their due date, so that the customer can buy anew. Money that arrives later becomes
 * balance. One that cannot be voided is tried again with the next run and holds up no other.
 *
 * @returns How many lapsed.
 */
export async function lapseTopUps(deps: BillingDeps): Promise<number> {
  const lapsed = await deps.transact.asOperator((tx) =>
    listLapsedTopUps(tx, { now: deps.clock.now(), limit: BATCH }),
  );
  let voided = 0;
  for (const invoiceId of lapsed) {
    try {
      await changeInvoice(deps, TOP_UP_CONTEXT, {
        invoiceId,
        action: "invoice.voided",
        details: { reason: "Credit was not paid for by the due date." },
        step: (account, { index, atMs }) =>
          doStep(account, { members: { do: "void", invoice: index }, atMs }),
      });
      voided += 1;
    } catch (error) {
      deps.logger.error({ err: error, invoiceId }, "An invoice for credit could not be voided");
    }
  }
  return voided;
}
