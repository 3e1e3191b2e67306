import { implement } from "@orpc/server";
import { statementsContract } from "@turnpike/contract/bank-statements";
import { paymentEventsContract } from "@turnpike/contract/payment-events";
import { paymentsContract } from "@turnpike/contract/payments";
import { receivedPaymentsContract } from "@turnpike/contract/refunds";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { applyProviderObject } from "./apply-provider-object.ts";
import { createRefund } from "./create-refund.ts";
import { listFailedPaymentEvents } from "./events/list-failed-events.ts";
import { retryPaymentEvents } from "./events/retry-events.ts";
import { getInvoiceCollection } from "./get-invoice-collection.ts";
import { getPayment, listPayments } from "./list-payments.ts";
import { getPaymentMethod, removePaymentMethod, setUpPaymentMethod } from "./manage-method.ts";
import { importStatement, previewStatement } from "./manual/import-statement.ts";
import {
  ignoreStatementLine,
  listStatementLines,
  matchCertainLines,
  matchStatementLine,
  reopenStatementLine,
} from "./manual/match-lines.ts";
import { settleRefund } from "./manual/settle-refund.ts";
import { payInvoice } from "./pay-invoice.ts";
import { previewRefund } from "./preview-refund.ts";

/** Payments of one tenant. @param deps.consoleUrl - Where browsers come back to from a page of the provider. */
function createTenantRoutes({ consoleUrl, ...deps }: BillingDeps & { consoleUrl: string }) {
  const os = implement(paymentsContract).$context<HttpContext>();
  return {
    getPaymentMethod: os.getPaymentMethod.handler(({ input, context }) =>
      getPaymentMethod(deps, context.call(), input),
    ),
    setUpPaymentMethod: os.setUpPaymentMethod.handler(
      ({ input: { returnPath, ...input }, context }) =>
        setUpPaymentMethod(deps, context.call(), {
          ...input,
          returnUrl: `${consoleUrl}${returnPath}`,
        }),
    ),
    removePaymentMethod: os.removePaymentMethod.handler(({ input, context }) =>
      removePaymentMethod(deps, context.call(), input),
    ),
    payInvoice: os.payInvoice.handler(({ input: { returnPath, ...input }, context }) =>
      payInvoice(deps, context.call(), { ...input, returnUrl: `${consoleUrl}${returnPath}` }),
    ),
    getInvoiceCollection: os.getInvoiceCollection.handler(({ input, context }) =>
      getInvoiceCollection(deps, context.call(), input),
    ),
  };
}

function createReceivedRoutes(deps: BillingDeps) {
  const os = implement(receivedPaymentsContract).$context<HttpContext>();
  return {
    listPayments: os.listPayments.handler(({ input, context }) =>
      listPayments(deps, context.call(), input),
    ),
    getPayment: os.getPayment.handler(({ input, context }) =>
      getPayment(deps, context.call(), input),
    ),
    previewRefund: os.previewRefund.handler(({ input, context }) =>
      previewRefund(deps, context.call(), input),
    ),
    createRefund: os.createRefund.handler(({ input, context }) =>
      createRefund(deps, context.call(), input),
    ),
    settleRefund: os.settleRefund.handler(({ input, context }) =>
      settleRefund(deps, context.call(), input),
    ),
  };
}

function createStatementRoutes(deps: BillingDeps) {
  const os = implement(statementsContract).$context<HttpContext>();
  return {
    previewStatement: os.previewStatement.handler(({ input, context }) =>
      previewStatement(deps, context.call(), input),
    ),
    importStatement: os.importStatement.handler(({ input, context }) =>
      importStatement(deps, context.call(), input),
    ),
    listStatementLines: os.listStatementLines.handler(({ input, context }) =>
      listStatementLines(deps, context.call(), input),
    ),
    matchStatementLine: os.matchStatementLine.handler(({ input, context }) =>
      matchStatementLine(deps, context.call(), input),
    ),
    matchCertainLines: os.matchCertainLines.handler(({ context }) =>
      matchCertainLines(deps, context.call()),
    ),
    ignoreStatementLine: os.ignoreStatementLine.handler(({ input, context }) =>
      ignoreStatementLine(deps, context.call(), input),
    ),
    reopenStatementLine: os.reopenStatementLine.handler(({ input, context }) =>
      reopenStatementLine(deps, context.call(), input),
    ),
  };
}

function createEventRoutes(deps: BillingDeps) {
  const os = implement(paymentEventsContract).$context<HttpContext>();
  const applyProvided = {
    ...deps,
    applyProviderObject: (applied: Parameters<typeof applyProviderObject>[1]) =>
      applyProviderObject(deps, applied),
  };
  return {
    listFailedPaymentEvents: os.listFailedPaymentEvents.handler(({ input, context }) =>
      listFailedPaymentEvents(deps, context.call(), input),
    ),
    retryPaymentEvents: os.retryPaymentEvents.handler(({ input, context }) =>
      retryPaymentEvents(applyProvided, context.call(), input),
    ),
  };
}

export function createPaymentsRoutes(deps: BillingDeps & { consoleUrl: string }) {
  return {
    ...createTenantRoutes(deps),
    ...createReceivedRoutes(deps),
    ...createStatementRoutes(deps),
    ...createEventRoutes(deps),
  };
}
