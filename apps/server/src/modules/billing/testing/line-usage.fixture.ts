import type { LinePart } from "@turnpike/contract/invoices";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { toScaled } from "@turnpike/domain/money/decimal";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { expect } from "vitest";
import { createKey } from "#modules/keys/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { getInvoice } from "../invoices/get-invoice.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { type LineUsageInput, listLineUsage } from "../invoices/list-line-usage.ts";
import { act, recordUsage } from "./billing.fixture.ts";

export const HOUR_MS = 60 * 60_000;
export const DAY_MS = 24 * HOUR_MS;

type Deps = TestServices & BillingDeps;

export type Subscriber = {
  tenantId: TenantId;
  /** Start of the first period. */
  startMs: number;
  keys: KeyId[];
  use(input: {
    afterMs: number;
    quantity: number;
    key?: number;
    route?: string;
    model?: string;
    environment?: Environment;
  }): Promise<void>;
};

/** A new tenant with two keys that begins a plan now. */
export async function subscribeTenant(
  deps: Deps,
  name: string,
  { planId = "metered", environment = "live" }: { planId?: string; environment?: Environment } = {},
): Promise<Subscriber> {
  const { tenantId } = await createTestTenant(deps, name);
  const keys: KeyId[] = [];
  for (const keyName of ["First", "Second"]) {
    const { keyId } = await createKey(deps, OPERATOR_CONTEXT, {
      tenantId,
      name: keyName,
      environment: "live",
      scopes: [],
      metadata: {},
    });
    keys.push(keyId);
  }
  const { anchor } = await act(deps, { tenantId, environment }, { do: "subscribe", planId });
  const startMs = Date.parse(anchor ?? "");
  return {
    tenantId,
    startMs,
    keys,
    use: async ({ afterMs, key = 0, ...of }) => {
      const keyId = keys[key] ?? expect.fail("no such key");
      const at = new Date(startMs + afterMs);
      await recordUsage(deps, { tenantId, environment, at, keyId, method: "GET", ...of });
    },
  };
}

/** Reads all pages of the parts of a line. */
export async function openLine(
  deps: Deps,
  { tenantId }: Subscriber,
  input: Partial<LineUsageInput> & Pick<LineUsageInput, "invoiceId" | "line">,
): Promise<LinePart[]> {
  const parts: LinePart[] = [];
  let cursor: string | undefined;
  do {
    const page = await listLineUsage(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      by: "day",
      limit: 100,
      ...input,
      cursor,
    });
    parts.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return parts;
}

/** Scaled. */
export function sumOf(parts: readonly LinePart[]): { quantity: bigint; amount: bigint } {
  const sum = (values: string[]) => values.reduce((total, text) => total + toScaled(text), 0n);
  return {
    quantity: sum(parts.map(({ quantity }) => quantity)),
    amount: sum(parts.map(({ amount }) => amount)),
  };
}

/** Lets a month pass, and closes it. */
export async function closeMonth(deps: Deps): Promise<void> {
  deps.clock.advance(31 * DAY_MS + 2 * 60_000);
  await closeDue(deps);
}

export async function newestInvoice(deps: Deps, { tenantId }: Subscriber) {
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, {
    tenantId,
    environment: "live",
    limit: 1,
  });
  const invoiceId = items[0]?.invoiceId ?? expect.fail("no invoice");
  return await getInvoice(deps, OPERATOR_CONTEXT, { tenantId, invoiceId });
}
