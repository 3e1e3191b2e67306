import type { LinePart } from "@turnpike/contract/invoices";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findCurrency, formatMinor } from "@turnpike/domain/money/currency";
import { toScaled } from "@turnpike/domain/money/decimal";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { type LineUsageInput, listLineUsage } from "../invoices/list-line-usage.ts";
import type { SimulatedWorld } from "./simulated-world.fixture.ts";

type LineRow = {
  tenantId: TenantId;
  invoiceId: string;
  line: number;
  kind: string;
  quantity: string;
  amount: string;
  currency: string;
};

type Sum = { quantity: bigint; amount: bigint };

async function openLine(
  world: SimulatedWorld,
  input: Omit<LineUsageInput, "environment" | "limit" | "cursor">,
): Promise<LinePart[]> {
  const parts: LinePart[] = [];
  let cursor: string | undefined;
  do {
    const page = await listLineUsage(world.deps, OPERATOR_CONTEXT, {
      ...input,
      environment: "live",
      limit: 7,
      cursor,
    });
    parts.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return parts;
}

function sumOf(parts: readonly LinePart[]): Sum {
  return parts.reduce(
    (sum, { quantity, amount }) => ({
      quantity: sum.quantity + toScaled(quantity),
      amount: sum.amount + toScaled(amount),
    }),
    { quantity: 0n, amount: 0n },
  );
}

function isEqual(a: Sum, b: Sum): boolean {
  return a.quantity === b.quantity && a.amount === b.amount;
}

async function checkLine(world: SimulatedWorld, row: LineRow): Promise<string[]> {
  const { tenantId, invoiceId, line } = row;
  const currency = findCurrency(row.currency);
  const amount = currency === undefined ? "" : formatMinor(BigInt(row.amount), currency);
  const whole = { quantity: toScaled(row.quantity), amount: toScaled(amount) };
  const faults: string[] = [];
  const expectSum = (parts: readonly LinePart[], sum: Sum, by: string) => {
    if (!isEqual(sumOf(parts), sum)) {
      faults.push(
        `Line ${String(line)} of ${invoiceId} (${row.kind}, ${row.quantity} for ${amount}) opens by ${by} to ${JSON.stringify(parts)}.`,
      );
    }
  };
  const days = await openLine(world, { tenantId, invoiceId, line, by: "day" });
  const keys = await openLine(world, { tenantId, invoiceId, line, by: "key" });
  expectSum(days, whole, "day");
  expectSum(keys, whole, "key");
  expectSum(await openLine(world, { tenantId, invoiceId, line, by: "route" }), whole, "route");
  const day = world.pick(days);
  const key = world.pick(keys);
  if (day.day !== null) {
    const ofDay = { tenantId, invoiceId, line, day: day.day };
    expectSum(await openLine(world, { ...ofDay, by: "route" }), sumOf([day]), "route of a day");
  }
  if (key.keyId !== null) {
    const ofKey = { tenantId, invoiceId, line, key: key.keyId };
    expectSum(await openLine(world, { ...ofKey, by: "day" }), sumOf([key]), "day of a key");
  }
  return faults;
}

/**
 * Opens some lines of usage of issued invoices by day, key and route, and parts of them again.
 *
 * @returns A sentence for each list of parts that does not sum to what it is of.
 */
export async function checkParts(
  world: SimulatedWorld,
  { samples }: { samples: number },
): Promise<string[]> {
  const rows = await world.database.sql<LineRow[]>`
    select l.tenant_id as "tenantId", l.invoice_id as "invoiceId", l.line, l.kind, l.quantity::text as quantity,
      l.amount::text as amount, i.currency
    from invoice_lines l join invoices i using (invoice_id)
    where l.kind in ('usage', 'late', 'beyondCap') and l.quantity > 0
    order by md5(l.invoice_id || l.line || ${String(world.seed)}) limit ${samples}`;
  const faults: string[] = [];
  for (const row of rows) {
    faults.push(...(await checkLine(world, row)));
  }
  world.count("opened", rows.length);
  return faults;
}
