import type { Tenant } from "@turnpike/contract/tenants";
import { formatMinor } from "@turnpike/domain/money/currency";
import {
  createCreditNote,
  listInvoices,
  putBillingDetails,
  setExemption,
  setTaxIdStatus,
} from "#modules/billing/index.ts";
import type { CommandSession } from "../run-command.ts";
import { toBillingDeps } from "../to-billing-deps.ts";
import { DEMO_CUSTOMERS, type DemoCustomer } from "./demo-customers.ts";
import { ensureMembers, ensureTenant, externalIdOf } from "./demo-installation.ts";
import { DOCUMENTS_COUPON, ensureDocumentPlans } from "./demo-plans.ts";
import { withDemoSeller } from "./demo-seller.ts";
import { act, close, type Key, type Life, pay, type Step } from "./demo-step.ts";
import { DAY_MS, type DemoWindow, HOUR_MS, MINUTE_MS } from "./demo-usage.ts";
import { takeSteps } from "./fill-billing.ts";

/** Beyond the numbers of other demo tenants. */
const INDEX_FIRST = 1000;

/** A coupon takes nothing off the first invoice, so there is one more. */
function countDays(count: number): number {
  return count + 1;
}

/** The last period ends within the time that the demo shows. */
function firstMsOf({ untilMs }: DemoWindow, count: number): number {
  return untilMs - countDays(count) * DAY_MS - 2 * HOUR_MS;
}

/** A customer of one kind of invoices, in the installation. */
export type InstalledCustomer = { customer: DemoCustomer; reply: Tenant };

/** Creates the customers of invoices of every kind, with their people, as far as they are missing. */
export async function installCustomers(
  session: CommandSession,
  { seed, window, count }: { seed: number; window: DemoWindow; count: number },
): Promise<InstalledCustomer[]> {
  if (count === 0) {
    return [];
  }
  const joinedAtMs = Math.min(window.fromMs, firstMsOf(window, count));
  const installed: InstalledCustomer[] = [];
  for (const [index, customer] of DEMO_CUSTOMERS.entries()) {
    session.signal.throwIfAborted();
    const reply = await ensureTenant(session, {
      tenant: { name: customer.name, planId: "free" },
      externalId: externalIdOf(seed, INDEX_FIRST + index),
      joinedAtMs,
    });
    await ensureMembers(session, reply, joinedAtMs);
    installed.push({ customer, reply });
  }
  return installed;
}

/** Says whom the invoices are made out to, and what the operator has looked up. */
function identify(customer: DemoCustomer): Step["run"] {
  const { name, addressLines, postalCode, city, country, taxId, exemption } = customer;
  const reason = "Looked up for the demo.";
  return async (deps, context, { tenantId }) => {
    const details = { companyName: name, addressLines, postalCode, city, country };
    await putBillingDetails(deps, context, {
      tenantId,
      ...details,
      region: null,
      email: "invoices@customer.example",
      taxId,
    });
    if (taxId !== null) {
      await setTaxIdStatus(deps, context, { tenantId, taxId, status: "confirmed", reason });
    }
    if (exemption !== null) {
      await setExemption(deps, context, { tenantId, exemption, reason });
    }
  };
}

/** Credits a part of the newest invoice, or all of it. */
function credit(percent: bigint): Step["run"] {
  return async (deps, context, key) => {
    const { items } = await listInvoices(deps, context, { ...key, limit: 1 });
    for (const { invoiceId, total } of items) {
      const digits = total.split(".")[1]?.length ?? 0;
      const part = (BigInt(total.replace(".", "")) * percent) / 100n;
      await createCreditNote(deps, context, {
        invoiceId,
        reason: "The service was not available for some hours.",
        ...(percent === 100n ? {} : { amount: formatMinor(part, { code: "", digits }) }),
      });
    }
  };
}

/** Percentages of credit notes: odd ones, whose taxes have to be rounded, and all of it. */
const PERCENTAGES = [100n, 33n, 7n, 51n] as const;

/** An invoice each day. The subscription ends with the last, so that nothing happens to it afterwards. */
function listSteps(customer: DemoCustomer, { startMs, untilMs, planId }: Life): Step[] {
  const days = Math.floor((untilMs - startMs) / DAY_MS);
  const daily = Array.from({ length: days }, (_, day): Step[] => {
    const atMs = startMs + day * DAY_MS;
    const percent = PERCENTAGES[day % PERCENTAGES.length] ?? 100n;
    return [
      ...(day === 0 ? [] : [{ atMs: atMs + 5 * MINUTE_MS, run: close }]),
      ...(customer.isCredited ? [{ atMs: atMs + HOUR_MS, run: credit(percent) }] : []),
      ...(day % 2 === 0 ? [] : [{ atMs: atMs + 2 * HOUR_MS, run: pay }]),
    ];
  });
  return [
    { atMs: startMs, run: identify(customer) },
    ...(customer.hasCoupon
      ? [{ atMs: startMs + 2 * MINUTE_MS, run: act({ do: "coupon", couponId: DOCUMENTS_COUPON }) }]
      : []),
    { atMs: startMs + MINUTE_MS, run: act({ do: "subscribe", planId }) },
    ...daily.flat(),
    { atMs: untilMs - 4 * HOUR_MS, run: act({ do: "cancel", when: "period_end" }) },
    { atMs: untilMs, run: close },
  ];
}

/**
 * Gives each customer an invoice for each of the last days that the demo shows, of an invented seller in Germany: every kind of tax,
 * discounts, credit notes, and a currency without decimals.
 *
 * @param input.count - The least number of invoices of each customer.
 * @returns How many invoices were added.
 */
export async function fillDocuments(
  session: CommandSession,
  customers: readonly InstalledCustomer[],
  { window, count }: { window: DemoWindow; count: number },
): Promise<number> {
  if (customers.length === 0) {
    return 0;
  }
  await ensureDocumentPlans(session, window);
  const { billing } = toBillingDeps(session);
  let added = 0;
  for (const { customer, reply } of customers) {
    const key: Key = { tenantId: reply.tenantId, environment: "live" };
    const life = {
      startMs: firstMsOf(window, count),
      untilMs: window.untilMs,
      planId: customer.planId,
    };
    const steps = listSteps(customer, life);
    added += await takeSteps(session, key, {
      steps,
      life,
      settings: withDemoSeller(billing, customer),
    });
  }
  return added;
}
