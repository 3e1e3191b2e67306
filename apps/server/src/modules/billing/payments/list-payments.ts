import type { ReceivedPayment } from "@turnpike/contract/refunds";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { findReceived, listReceived, type ReceivedPlace } from "./received-payments.store.ts";
import { toReceivedPayments } from "./to-received-payment.ts";

type PaymentsInput = {
  environment: Environment;
  tenantId?: TenantId | undefined;
  invoiceId?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** A place in the list: when a payment was received, and which. */
function parsePlace(text: string): ReceivedPlace | undefined {
  const [, ms = "", paymentId = ""] = /^(\d{1,15})\.(\w+)$/.exec(text) ?? [];
  return isId("payment", paymentId) ? { receivedAt: new Date(Number(ms)), paymentId } : undefined;
}

/** Lists payments of all tenants, newest first. For the operator's actors. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function listPayments(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { cursor, limit, environment, tenantId, invoiceId }: PaymentsInput,
): Promise<{ items: ReceivedPayment[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  return await deps.transact.asOperator(async (tx) => {
    const rows = await listReceived(tx, {
      environment,
      tenantId,
      invoiceId,
      after,
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      items: await toReceivedPayments(tx, page),
      nextCursor:
        rows.length > limit && last !== undefined
          ? `${String(last.receivedAt.getTime())}.${last.paymentId}`
          : null,
    };
  });
}

/** {@link getPayment} in a transaction of the operator role. */
export async function readPayment(tx: Tx, paymentId: string): Promise<ReceivedPayment> {
  const row = await findReceived(tx, paymentId);
  const [payment] = row === undefined ? [] : await toReceivedPayments(tx, [row]);
  if (payment === undefined) {
    throw resourceNotFound("payment");
  }
  return payment;
}

/** Gets a payment of any tenant. @throws {AppError} `RESOURCE_NOT_FOUND` (payment), `INSUFFICIENT_SCOPE`. */
export async function getPayment(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { paymentId }: { paymentId: string },
): Promise<ReceivedPayment> {
  assertMay(context.actor, "invoices:read");
  return await deps.transact.asOperator((tx) => readPayment(tx, paymentId));
}
