import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { setExemption, setTaxIdStatus } from "../details/decide-tax-of-customer.ts";
import { putBillingDetails } from "../details/put-billing-details.ts";
import { addAdjustment } from "../invoices/add-adjustment.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { markUncollectible } from "../invoices/mark-uncollectible.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { voidInvoice } from "../invoices/void-invoice.ts";
import { reasonOf } from "./customer-acts.fixture.ts";
import { type LoggedAct, logAct } from "./log-writes.fixture.ts";
import type { SimulatedTenant, SimulatedWorld } from "./simulated-world.fixture.ts";

const REASON = "Simulated.";

type Invoice = {
  invoiceId: string;
  state: string;
  currency: string;
  due: string;
  /** What is left to credit of each line, in their order. */
  left: readonly string[];
};

async function listInvoices(
  world: SimulatedWorld,
  { tenantId }: SimulatedTenant,
): Promise<Invoice[]> {
  return await world.database.sql<Invoice[]>`
    select i.invoice_id as "invoiceId", i.state, i.currency,
      greatest(i.total - i.from_balance - i.prepaid - i.paid - i.credited, 0)::text as due,
      array(select greatest(l.amount - l.discount - l.credited, 0)::text from invoice_lines l
        where l.invoice_id = i.invoice_id order by l.line) as left
    from invoices i where i.tenant_id = ${tenantId} order by i.closed_at, i.issued_at, i.series_number`;
}

function toMajor(minor: bigint, code: string): string {
  const currency = findCurrency(code);
  if (currency === undefined) {
    throw new Error(`${code} is no currency.`);
  }
  return formatMinor(minor, currency);
}

/** Runs a use case that changes the account; a refusal changes nothing. */
async function attempt(
  world: SimulatedWorld,
  { tenantId }: SimulatedTenant,
  { what, act, run }: { what: string; act: LoggedAct; run: () => Promise<unknown> },
): Promise<string> {
  let outcome = "done";
  try {
    await run();
    await logAct(world.database.sql, tenantId, act);
  } catch (error) {
    outcome = reasonOf(error);
  }
  world.count(outcome === "done" ? what : "refused");
  world.note(`${tenantId} ${what} ${JSON.stringify(act)}: ${outcome}`);
  return outcome;
}

/** Pays exactly what is due, a part of it, or more; now and then the same reference arrives twice. */
async function pay(world: SimulatedWorld, tenant: SimulatedTenant, invoice: Invoice) {
  const { invoiceId, currency } = invoice;
  const due = BigInt(invoice.due);
  const minor = world.pick([due, due, due / 3n + 1n, due + BigInt(1 + world.below(4_000))]);
  const amount = toMajor(minor > 0n ? minor : 1n, currency);
  const reference = `transfer ${String(world.below(1_000_000_000))}`;
  const input = { invoiceId, amount, reference };
  const outcome = await attempt(world, tenant, {
    what: "pay",
    act: { do: "pay", invoiceId, amount },
    run: () => recordPayment(world.deps, OPERATOR_CONTEXT, input),
  });
  if (outcome === "done" && world.oneIn(3)) {
    await recordPayment(world.deps, OPERATOR_CONTEXT, input);
    world.count("pay twice");
  }
}

/** Credits all that is left, a sum, or some lines; now and then more than is left, which is refused. */
async function credit(world: SimulatedWorld, tenant: SimulatedTenant, invoice: Invoice) {
  const { invoiceId, currency } = invoice;
  const left = invoice.left.map((text) => BigInt(text));
  const whole = left.reduce((sum, amount) => sum + amount, 0n);
  const beyond = world.oneIn(8) ? 1n : 0n;
  const line = world.below(Math.max(1, left.length));
  const ofLine = (left[line] ?? 0n) / BigInt(1 + world.below(3)) + beyond;
  const sum = whole / BigInt(1 + world.below(4)) + beyond;
  const members = world.pick([
    {},
    { amount: toMajor(sum > 0n ? sum : 1n, currency) },
    { lines: [{ line: line + 1, amount: toMajor(ofLine > 0n ? ofLine : 1n, currency) }] },
  ]);
  await attempt(world, tenant, {
    what: "lines" in members ? "credit lines" : "amount" in members ? "credit a sum" : "credit all",
    act: {
      do: "creditNote",
      invoiceId,
      ...members,
      ...(members.lines === undefined
        ? {}
        : { lines: members.lines.map((each) => ({ ...each, line: each.line - 1 })) }),
    },
    run: () =>
      createCreditNote(world.deps, OPERATOR_CONTEXT, { invoiceId, reason: REASON, ...members }),
  });
}

async function adjust(world: SimulatedWorld, tenant: SimulatedTenant): Promise<void> {
  const { tenantId } = tenant;
  const amount = world.pick(["1", "25", "1234"]);
  const when = world.pick(["now", "next_invoice"] as const);
  const label = "Set-up";
  await attempt(world, tenant, {
    what: "adjust",
    act: { do: "adjust", amount, label, waits: when === "next_invoice" },
    run: () =>
      addAdjustment(world.deps, OPERATOR_CONTEXT, {
        tenantId,
        environment: "live",
        description: label,
        amount,
        taxClass: "standard",
        when,
        reason: REASON,
      }),
  });
}

/** Moves a customer to another country, with a tax id or without, and decides about the id or an exemption. */
async function changeCustomer(world: SimulatedWorld, { tenantId }: SimulatedTenant): Promise<void> {
  const { deps } = world;
  const { country, taxId } = world.pick([
    { country: null, taxId: null },
    { country: "DE", taxId: "DE136695976" },
    { country: "FR", taxId: null },
    { country: "FR", taxId: "FR40303265045" },
    { country: "US", taxId: null },
  ]);
  await putBillingDetails(deps, OPERATOR_CONTEXT, {
    tenantId,
    companyName: "Example",
    addressLines: ["1 High Street"],
    postalCode: "1000",
    city: "Town",
    region: null,
    country,
    email: null,
    taxId,
  });
  if (taxId !== null) {
    const status = world.pick(["confirmed", "confirmed", "invalid"] as const);
    await setTaxIdStatus(deps, OPERATOR_CONTEXT, { tenantId, taxId, status, reason: REASON });
  }
  const exemption = world.oneIn(6) ? "Certificate 7" : null;
  await setExemption(deps, OPERATOR_CONTEXT, { tenantId, exemption, reason: REASON });
  world.count("move");
  world.note(`${tenantId} is in ${String(country)}, tax id ${String(taxId)}`);
}

/** Does something to a document of a tenant, mostly to a recent one, or to who the tenant is. */
export async function actAsOperator(world: SimulatedWorld, tenant: SimulatedTenant): Promise<void> {
  if (world.oneIn(6)) {
    await changeCustomer(world, tenant);
    return;
  }
  if (world.oneIn(6)) {
    await adjust(world, tenant);
    return;
  }
  const invoices = await listInvoices(world, tenant);
  if (invoices.length === 0) {
    return;
  }
  const invoice = world.pick(world.oneIn(3) ? invoices : invoices.slice(-3));
  const { invoiceId } = invoice;
  switch (world.below(8)) {
    case 0:
      await attempt(world, tenant, {
        what: "void",
        act: { do: "void", invoiceId },
        run: () => voidInvoice(world.deps, OPERATOR_CONTEXT, { invoiceId, reason: REASON }),
      });
      return;
    case 1:
      await attempt(world, tenant, {
        what: "write off",
        act: { do: "writeOff" },
        run: () => markUncollectible(world.deps, OPERATOR_CONTEXT, { invoiceId, reason: REASON }),
      });
      return;
    case 2:
    case 3:
      await credit(world, tenant, invoice);
      return;
    default:
      await pay(world, tenant, invoice);
  }
}
