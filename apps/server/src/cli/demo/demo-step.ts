import type { SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { TenantId } from "@turnpike/domain/ids/ids";
import {
  type BillingDeps,
  closeAccounts,
  confirmAction,
  listInvoices,
  quoteAction,
  recordPayment,
} from "#modules/billing/index.ts";
import type { CommandSession } from "../run-command.ts";

export const PAGE = 100;

/** When a tenant subscribes and until when it is shown. */
export type Life = { startMs: number; untilMs: number; planId: string };

export type Key = { tenantId: TenantId; environment: "live" };

/** One thing that happens to the subscription of a tenant. */
export type Step = {
  atMs: number;
  run(deps: BillingDeps, context: CommandSession["context"], key: Key): Promise<unknown>;
};

export function act(action: SubscriptionAction): Step["run"] {
  return async (deps, context, key) => {
    const { at: quotedAt, hash } = await quoteAction(deps, context, { ...key, action });
    await confirmAction(deps, context, { ...key, action, at: quotedAt, hash });
  };
}

export const close: Step["run"] = (deps, _, key) => closeAccounts(deps, [key], deps.clock.now());

/** Does something with each open invoice. */
export function withOpen(
  work: (
    deps: BillingDeps,
    context: CommandSession["context"],
    invoice: { invoiceId: string; number: string; due: string },
  ) => Promise<unknown>,
): Step["run"] {
  return async (deps, context, key) => {
    const { items } = await listInvoices(deps, context, { ...key, state: "open", limit: PAGE });
    for (const invoice of items) {
      await work(deps, context, invoice);
    }
  };
}

export const pay = withOpen((deps, context, { invoiceId, number, due }) =>
  recordPayment(deps, context, { invoiceId, amount: due, reference: `Transfer for ${number}` }),
);
