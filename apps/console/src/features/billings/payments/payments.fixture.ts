import type { PaymentMethod, PaymentSetup } from "#platform/billing-queries.ts";
import type { Attempt, Collection } from "./payments.queries.ts";

export function makeMethod(overrides: Partial<PaymentMethod> = {}): PaymentMethod {
  return {
    provider: "stripe",
    type: "card",
    brand: "visa",
    last4: "4242",
    expiresMonth: 12,
    expiresYear: 2099,
    since: "2026-01-01T00:00:00.000Z",
    ...overrides,
  };
}

export function makeSetup(overrides: Partial<PaymentSetup> = {}): PaymentSetup {
  return { method: null, canSetUp: true, bank: null, ...overrides };
}

export function makeAttempt(overrides: Partial<Attempt> = {}): Attempt {
  return {
    attemptId: "att_1",
    provider: "stripe",
    cause: "issued",
    state: "succeeded",
    amount: "49.00",
    currency: "USD",
    reason: null,
    message: null,
    reference: "pi_1",
    createdAt: "2026-07-01T12:00:00.000Z",
    updatedAt: "2026-07-01T12:00:00.000Z",
    ...overrides,
  };
}

export function makeCollection(overrides: Partial<Collection> = {}): Collection {
  return {
    invoiceId: "inv_1",
    due: "49.00",
    currency: "USD",
    reference: "RF18539007547034",
    bank: null,
    isAutomatic: false,
    attempts: [],
    calendar: null,
    ...overrides,
  };
}
