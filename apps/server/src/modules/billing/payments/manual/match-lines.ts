import type { StatementLine } from "@turnpike/contract/bank-statements";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { parseCursor } from "#platform/parse-cursor.ts";
import { takeCutOff } from "../../accounts/take-cut-off.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { listSummaries } from "../../invoices/invoices.store.ts";
import { currencyOf } from "../../invoices/to-invoice.ts";
import { receivePaymentWithin } from "../receive-payment.ts";
import { proposePayments } from "./propose-payments.ts";
import {
  countOpenLines,
  decideLine,
  findLine,
  type LinePlace,
  type LineRow,
  type LineState,
  listLines,
  lockLine,
} from "./statement-lines.store.ts";

/** What a line pays: invoices in their order, or all that a tenant owes. */
type Target = { tenantId: TenantId; invoiceIds: readonly string[] | undefined };

const BATCH = 100;

function refuse(publicMessage: string, reason: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage, extensions: { reason } });
}

async function toLines(tx: Tx, rows: readonly LineRow[]): Promise<StatementLine[]> {
  const proposals = await proposePayments(tx, rows);
  return rows.map((row) => ({
    ...row,
    amount: formatMinor(BigInt(row.amount), currencyOf(row.currency)),
    proposals: proposals.get(row.lineId) ?? [],
  }));
}

async function readLine(tx: Tx, lineId: string): Promise<StatementLine> {
  const row = await findLine(tx, lineId);
  const [line] = row === undefined ? [] : await toLines(tx, [row]);
  if (line === undefined) {
    throw resourceNotFound("statement line");
  }
  return line;
}

async function lockInState(tx: Tx, lineId: string, state: LineState): Promise<LineRow> {
  const row = await lockLine(tx, lineId);
  if (row === undefined) {
    throw resourceNotFound("statement line");
  }
  if (row.state !== state) {
    throw refuse(`This line is ${row.state} already.`, "already_decided");
  }
  return row;
}

function parsePlace(text: string): LinePlace | undefined {
  const [, bookedOn = "", lineId = ""] = /^(\d{4}-\d\d-\d\d)\.(\w+)$/.exec(text) ?? [];
  return isId("statementLine", lineId) ? { bookedOn, lineId } : undefined;
}

/** Lists lines of statements, newest first, with what open ones may pay. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listStatementLines(
  deps: Pick<BillingDeps, "transact">,
  context: CallContext,
  { state, cursor, limit }: { state: LineState; cursor?: string | undefined; limit: number },
): Promise<{ items: StatementLine[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  return await deps.transact.asOperator(async (tx) => {
    const rows = await listLines(tx, { state, after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    return {
      items: await toLines(tx, page),
      nextCursor: isMore ? `${last.bookedOn}.${last.lineId}` : null,
    };
  });
}

/** Receives the money of a line, in the transaction in which it is matched: it counts once. Lock the line before. */
async function receiveLine(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  { line, target, recordedTo }: { line: LineRow; target: Target; recordedTo: Date },
): Promise<void> {
  const { lineId, amount, currency, bookedOn, payer, purpose } = line;
  if (BigInt(amount) <= 0n) {
    throw refuse("This money left the account: it is no payment of a customer.", "not_received");
  }
  const { tenantId, invoiceIds } = target;
  const paymentId = await receivePaymentWithin(deps, tx, context, {
    recordedTo,
    receipt: {
      key: { tenantId, environment: "live" },
      provider: "manual",
      reference: lineId,
      amount: BigInt(amount),
      currency,
      receivedAt: new Date(`${bookedOn}T00:00:00Z`),
      ...(invoiceIds !== undefined && { invoiceIds }),
      note: (purpose || payer || lineId).slice(0, 200),
      details: { statementLine: lineId },
    },
  });
  if (paymentId === undefined) {
    throw new Error(`The line ${lineId} is open, and its money was received before.`);
  }
  const { actor } = context;
  await decideLine(tx, {
    lineId,
    state: "matched",
    paymentId,
    note: null,
    now: deps.clock.now(),
    decidedBy: `${actor.type}:${actor.id}`,
  });
}

async function toTarget(
  tx: Tx,
  {
    invoiceIds,
    tenantId,
  }: { invoiceIds?: readonly string[] | undefined; tenantId?: TenantId | undefined },
): Promise<Target> {
  if (invoiceIds === undefined) {
    if (tenantId === undefined) {
      const message = "Name the invoices that it pays, or the tenant.";
      throw new AppError({
        code: "INVALID_REQUEST",
        publicMessage: message,
        errors: [{ pointer: "/invoiceIds", message }],
      });
    }
    return { tenantId, invoiceIds: undefined };
  }
  const unique = [...new Set(invoiceIds)];
  const found = await listSummaries(tx, unique);
  const [first] = found;
  if (first === undefined || found.length < unique.length) {
    throw resourceNotFound("invoice");
  }
  const isOfOne = found.every(
    (row) =>
      row.environment === "live" &&
      row.tenantId === first.tenantId &&
      (tenantId === undefined || row.tenantId === tenantId),
  );
  if (!isOfOne) {
    throw refuse(
      "A transfer pays invoices of one customer, and none of a sandbox.",
      "other_tenant",
    );
  }
  return { tenantId: first.tenantId, invoiceIds: unique };
}

/**
 * Takes a line as the payment of invoices, or of a tenant's open ones.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (statement line, invoice), `CONFLICT` for a line that is decided, or for money that left,
 *   `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function matchStatementLine(
  deps: BillingDeps,
  context: CallContext,
  input: {
    lineId: string;
    invoiceIds?: readonly string[] | undefined;
    tenantId?: TenantId | undefined;
  },
): Promise<StatementLine> {
  assertMay(context.actor, "invoices:write");
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    const line = await lockInState(tx, input.lineId, "open");
    const target = await toTarget(tx, input);
    await receiveLine(deps, tx, context, { line, target, recordedTo });
    return await readLine(tx, input.lineId);
  });
}

/** Matches a line if its proposal is certain by now. @returns False when it is not. @throws {AppError} When it cannot be received. */
async function matchNow(deps: BillingDeps, context: CallContext, lineId: string): Promise<boolean> {
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    const line = await lockLine(tx, lineId);
    if (line?.state !== "open") {
      return false;
    }
    const [first] = (await proposePayments(tx, [line])).get(lineId) ?? [];
    if (first?.isCertain !== true) {
      return false;
    }
    const target = { tenantId: first.tenantId, invoiceIds: [first.invoiceId] };
    await receiveLine(deps, tx, context, { line, target, recordedTo });
    return true;
  });
}

/** {@link matchNow}; a line that cannot be received, such as one for a deleted tenant, stays open and holds up no other. */
async function matchIfCertain(
  deps: BillingDeps,
  context: CallContext,
  lineId: string,
): Promise<boolean> {
  try {
    return await matchNow(deps, context, lineId);
  } catch (error) {
    const level = error instanceof AppError ? "warn" : "error";
    deps.logger[level]({ err: error, lineId }, "A line of a statement could not be matched");
    return false;
  }
}

/** Matches every open line whose proposal is certain, one by one. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function matchCertainLines(
  deps: BillingDeps,
  context: CallContext,
): Promise<{ matched: number; open: number }> {
  assertMay(context.actor, "invoices:write");
  let matched = 0;
  let after: LinePlace | undefined;
  for (;;) {
    const place = after;
    const certain = await deps.transact.asOperator(async (tx) => {
      const rows = await listLines(tx, { state: "open", after: place, limit: BATCH });
      const proposals = await proposePayments(tx, rows);
      return rows.map((row) => ({
        ...row,
        isCertain: proposals.get(row.lineId)?.[0]?.isCertain === true,
      }));
    });
    for (const { lineId, isCertain } of certain) {
      matched += isCertain && (await matchIfCertain(deps, context, lineId)) ? 1 : 0;
    }
    after = certain.at(-1);
    if (certain.length < BATCH) {
      return { matched, open: await deps.transact.asOperator(countOpenLines) };
    }
  }
}

async function decide(
  deps: Pick<BillingDeps, "transact" | "clock">,
  context: CallContext,
  input: { lineId: string; from: LineState; to: LineState; note: string | null },
): Promise<StatementLine> {
  assertMay(context.actor, "invoices:write");
  const { actor } = context;
  return await deps.transact.asOperator(async (tx) => {
    const { lineId, from, to, note } = input;
    await lockInState(tx, lineId, from);
    await decideLine(tx, {
      lineId,
      state: to,
      paymentId: null,
      note,
      now: deps.clock.now(),
      decidedBy: `${actor.type}:${actor.id}`,
    });
    return await readLine(tx, lineId);
  });
}

/** Says that a line is no payment of a customer. @throws {AppError} `RESOURCE_NOT_FOUND`, `CONFLICT`, `INSUFFICIENT_SCOPE`. */
export async function ignoreStatementLine(
  deps: Pick<BillingDeps, "transact" | "clock">,
  context: CallContext,
  { lineId, reason }: { lineId: string; reason: string },
): Promise<StatementLine> {
  return await decide(deps, context, { lineId, from: "open", to: "ignored", note: reason });
}

/** Looks at an ignored line again. @throws {AppError} `RESOURCE_NOT_FOUND`, `CONFLICT`, `INSUFFICIENT_SCOPE`. */
export async function reopenStatementLine(
  deps: Pick<BillingDeps, "transact" | "clock">,
  context: CallContext,
  { lineId }: { lineId: string },
): Promise<StatementLine> {
  return await decide(deps, context, { lineId, from: "ignored", to: "open", note: null });
}
