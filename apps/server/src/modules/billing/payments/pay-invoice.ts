import type { StartedPayment } from "@turnpike/contract/payments";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findInvoiceRow, type InvoiceRow } from "../invoices/invoices.store.ts";
import { applyAttempt } from "./apply-attempt.ts";
import { type AttemptRow, findOpenAttempt, insertAttempts } from "./attempts.store.ts";
import {
  askProvider,
  findProvider,
  isByTransfer,
  requireFound,
  requireSetup,
} from "./find-provider.ts";
import { findMethod } from "./methods.store.ts";
import type { PaymentProvider, PaymentState } from "./payment-provider.ts";
import { endOutdated, sendAttempt, toRequest } from "./send-attempt.ts";
import { toAttempt } from "./to-attempt.ts";
import { toBankView } from "./to-bank.ts";

type PayInput = { tenantId: TenantId; invoiceId: string; returnUrl: string };

/** An attempt that ended for another amount is followed by one for what is due: once more is enough, or the invoice moves. */
const TRIES = 3;

function refuse(publicMessage: string, reason: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage, extensions: { reason } });
}

/** The attempt of an invoice that is under way, or a new one. @throws {AppError} `CONFLICT` when nothing can be charged. */
async function ensureAttempt(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, invoiceId }: PayInput,
): Promise<AttemptRow> {
  return await deps.transact.asOperator(async (tx) => {
    const open = await findOpenAttempt(tx, invoiceId);
    if (open !== undefined) {
      return open;
    }
    const { number, environment, ...invoice } = (await findInvoiceRow(tx, {
      tenantId,
      invoiceId,
    })) as InvoiceRow;
    if (BigInt(invoice.due) === 0n) {
      throw refuse(`Nothing is due on ${number}.`, "not_open");
    }
    const mayTransfer = isByTransfer(deps, environment);
    if (!mayTransfer && (await findMethod(tx, { tenantId, environment })) === undefined) {
      throw refuse("There is no way to pay yet: set one up first.", "no_payment_method");
    }
    const attemptId = deps.newId("attempt");
    await insertAttempts(tx, [{ attemptId, invoiceId, cause: "person" }], {
      now: deps.clock.now(),
      isByTransfer: mayTransfer,
    });
    // Another request may have begun one meanwhile: then that one is continued.
    const begun = await findOpenAttempt(tx, invoiceId);
    if (begun === undefined) {
      throw refuse(`Nothing is due on ${number}.`, "not_open");
    }
    if (begun.attemptId === attemptId) {
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "invoice.payment_started",
        entityType: "invoice",
        entityId: invoiceId,
        details: { number, environment, attemptId, amount: begun.amount },
      });
    }
    return begun;
  });
}

/** Takes an attempt as far as it goes now. */
async function takeFurther(
  deps: BillingDeps,
  provider: PaymentProvider,
  { attempt, returnUrl }: { attempt: AttemptRow; returnUrl: string },
): Promise<{ attempt: AttemptRow; payment: PaymentState } | undefined> {
  const { attemptId, reference, methodRef, state, sentAt } = attempt;
  if (state === "pending" && sentAt === null) {
    const onSession = { returnUrl };
    return await askProvider(deps, () => sendAttempt(deps, provider, { attemptId, onSession }));
  }
  if (await askProvider(deps, () => endOutdated(deps, provider, attempt))) {
    return;
  }
  const { authenticate } = provider;
  const isToConfirm = state === "action_required" && reference !== null;
  if (authenticate !== undefined && isToConfirm) {
    const payment = await askProvider(deps, () =>
      authenticate({ reference, methodRef, returnUrl }),
    );
    const applied = await applyAttempt(deps, { attemptId, payment });
    return applied === undefined ? undefined : { attempt: applied, payment };
  }
  const known =
    state === "processing"
      ? await askProvider(deps, () => provider.lookUp(toRequest(attempt, null)))
      : undefined;
  if (known === undefined) {
    return { attempt, payment: { state: "unknown" } };
  }
  const applied = await applyAttempt(deps, { attemptId, payment: known });
  return applied === undefined ? undefined : { attempt: applied, payment: known };
}

/**
 * Pays what is due on an invoice now, with the customer's method, or asks the customer without one to transfer it. An attempt that is
 * under way is continued: two requests at once are one charge.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, invoice), `INSUFFICIENT_SCOPE`, `CONFLICT` when nothing is due or there is no way
 *   to pay, `PAYMENT_PROVIDER_UNAVAILABLE`.
 */
export async function payInvoice(
  deps: BillingDeps,
  context: CallContext,
  input: PayInput,
): Promise<StartedPayment> {
  const { tenantId, invoiceId, returnUrl } = input;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  const invoice = await deps.transact.asTenant(tenantId, (tx) =>
    findInvoiceRow(tx, { tenantId, invoiceId }),
  );
  if (invoice === undefined) {
    throw resourceNotFound("invoice");
  }
  const { environment } = invoice;
  requireSetup(deps, { environment });
  for (let tries = 0; tries < TRIES; tries += 1) {
    const attempt = await ensureAttempt(deps, context, input);
    const provider = requireFound(findProvider(deps, { environment, provider: attempt.provider }));
    const reached = await takeFurther(deps, provider, { attempt, returnUrl });
    if (reached !== undefined) {
      const { payment } = reached;
      const url = payment.state === "action_required" ? payment.url : null;
      const transfer = payment.state === "processing" ? payment.transfer : undefined;
      return {
        attempt: toAttempt(reached.attempt),
        url,
        transfer:
          transfer === undefined
            ? null
            : { reference: transfer.reference, bank: toBankView(transfer.bank) },
      };
    }
  }
  throw refuse("What is due has changed meanwhile: try again.", "payment_under_way");
}
