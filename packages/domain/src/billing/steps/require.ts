import type { Members } from "../../pricing/read-value.ts";
import { toSuggestion } from "../../text/suggest.ts";
import { type Account, isRunning, type RunningAccount } from "../account/account.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import { type Invoice, isOpen } from "../invoices/invoice.ts";
import { StepRefused } from "./step.ts";

/** @throws {StepRefused} `no_subscription` or `paused` when no plan runs. */
export function requireRunning(account: Account): RunningAccount {
  if (isRunning(account)) {
    return account;
  }
  if (account.subscription?.state === "paused") {
    throw new StepRefused("paused", "The subscription is paused: resume it first.");
  }
  if (account.subscription?.state === "scheduled") {
    const start = new Date(account.subscription.startMs).toISOString();
    throw new StepRefused(
      "no_subscription",
      `The subscription begins on ${start.slice(0, 10)}: until then it can only be cancelled.`,
    );
  }
  throw new StepRefused("no_subscription", "No subscription runs: subscribe to a plan first.");
}

/** @throws {StepRefused} `unknown_plan` */
export function requirePlan(account: Account, members: Members): BillingPlan {
  const { plans } = account.terms.catalog;
  const planId = String(members["plan"]);
  const plan = plans.get(planId);
  if (plan === undefined) {
    throw new StepRefused(
      "unknown_plan",
      `There is no plan ${planId}: name one of the catalogue.${toSuggestion(planId, [...plans.keys()])}`,
    );
  }
  return plan;
}

/**
 * Finds the invoice that a step names by its index.
 *
 * @throws {StepRefused} `unknown_invoice`
 */
export function requireInvoice(
  account: Account,
  members: Members,
): { index: number; invoice: Invoice } {
  const named = members["invoice"];
  const invoice = typeof named === "number" ? account.invoices[named] : undefined;
  if (typeof named !== "number" || invoice === undefined) {
    throw new StepRefused(
      "unknown_invoice",
      `There is no invoice ${String(named)}: there are ${String(account.invoices.length)}, counted from 0.`,
    );
  }
  return { index: named, invoice };
}

/**
 * Finds the invoice that a payment names, else the first open one.
 *
 * @returns `undefined` when none is named and none is open.
 * @throws {StepRefused} `unknown_invoice`
 */
export function findPayable(
  account: Account,
  members: Members,
): { index: number; invoice: Invoice } | undefined {
  if (members["invoice"] !== undefined && members["invoice"] !== null) {
    return requireInvoice(account, members);
  }
  const index = account.invoices.findIndex(isOpen);
  const invoice = account.invoices[index];
  return invoice === undefined ? undefined : { index, invoice };
}
