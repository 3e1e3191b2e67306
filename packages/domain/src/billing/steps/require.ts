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
 * Finds the invoice that a step names, else the first open one.
 *
 * @throws {StepRefused} `unknown_invoice` when there is none of this index, `not_open` when none is named and none is open.
 */
export function requireInvoice(
  account: Account,
  members: Members,
): { index: number; invoice: Invoice } {
  const named = members["invoice"];
  const isNamed = named !== undefined && named !== null;
  const index = isNamed ? Number(named) : account.invoices.findIndex(isOpen);
  const invoice = isNamed && typeof named !== "number" ? undefined : account.invoices[index];
  if (invoice !== undefined) {
    return { index, invoice };
  }
  if (isNamed) {
    throw new StepRefused(
      "unknown_invoice",
      `There is no invoice ${String(named)}: there are ${String(account.invoices.length)}, counted from 0.`,
    );
  }
  throw new StepRefused("not_open", "No invoice is open: name the invoice that is meant.");
}
