import type { Tx } from "@turnpike/db/client";
import type { Line } from "@turnpike/domain/billing/rating/line";
import { type Currency, findCurrency } from "@turnpike/domain/money/currency";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { fromExactJson } from "#platform/exact-json.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { readAccount } from "../accounts/change-account.ts";
import { recordedOf, stretchOf } from "../accounts/recorded-of.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { computeRunningInvoice } from "./get-upcoming-invoice.ts";
import { findLine, type LineRow, type LineWindow } from "./line-usage.store.ts";

/** A line of usage, and the part of the ledger that it is of. */
export type UsedLine = {
  line: Pick<Line, "amount" | "quantity" | "source">;
  currency: Currency;
  window: LineWindow;
};

type LineQuestion = AccountKey & { invoiceId: string; line: number };

function isUsage(kind: string): boolean {
  return kind === "usage" || kind === "late" || kind === "beyondCap";
}

/** Units are in the order of time: those that a limit kept out come after those that it let through. */
function toBounds(quantity: bigint, served: bigint): Pick<LineWindow, "low" | "high"> {
  return { low: fromScaled(served), high: fromScaled(served + quantity) };
}

function toUsedLine(row: LineRow): UsedLine | undefined {
  const { kind, quantity, meterId, from, to, recordedTo, recordedAfter } = row;
  const currency = findCurrency(row.currency);
  if (
    !isUsage(kind) ||
    quantity === null ||
    meterId === null ||
    from === null ||
    to === null ||
    recordedTo === null ||
    currency === undefined
  ) {
    return;
  }
  const { tenantId, environment, document, served } = row;
  return {
    line: fromExactJson<Line>(document),
    currency,
    window: {
      ...{ tenantId, environment, meterId, from, to, recordedAfter, recordedTo },
      ...toBounds(toScaled(quantity), toScaled(served)),
    },
  };
}

/** Finds a line of usage on an issued invoice. @returns `undefined` for other lines, and for none. */
export async function findIssuedLine(
  tx: Tx,
  question: LineQuestion,
): Promise<UsedLine | undefined> {
  const row = await findLine(tx, question);
  return row === undefined ? undefined : toUsedLine(row);
}

/** Finds a line of usage on the running invoice. Needs the operator role. */
export async function findRunningLine(
  deps: BillingDeps,
  tx: Tx,
  { tenantId, environment, line: number }: LineQuestion,
): Promise<UsedLine | undefined> {
  const key = { tenantId, environment };
  const loaded = await readAccount(deps, tx, { key });
  const nowMs = deps.clock.now().getTime() + (loaded?.row?.aheadMs ?? 0);
  const running = loaded === undefined ? undefined : computeRunningInvoice(loaded, nowMs);
  const lines = running?.invoice?.lines ?? [];
  const line = lines[number - 1];
  if (running === undefined || line?.span === undefined || !isUsage(line.kind)) {
    return;
  }
  const stretch = stretchOf(line, running.after);
  const meterId = stretch?.card.meterId;
  if (meterId === undefined) {
    return;
  }
  const { recordedAfter, recordedTo } = recordedOf(line, running);
  const served = lines.find(
    ({ kind, owner, span }) =>
      line.kind === "beyondCap" &&
      kind === "usage" &&
      owner?.runOrder === line.owner?.runOrder &&
      owner?.card === line.owner?.card &&
      span?.fromMs === line.span?.fromMs,
  );
  return {
    line,
    currency: running.after.terms.currency,
    window: {
      ...{ ...key, meterId, recordedAfter },
      from: new Date(line.span.fromMs),
      to: new Date(line.span.toMs),
      recordedTo: recordedTo ?? running.loaded.recordedTo,
      ...toBounds(line.quantity ?? 0n, served?.quantity ?? 0n),
    },
  };
}
