import type { KeyedRequests } from "./load.ts";
import { callJson, type Product, readText } from "./product.ts";

export type CustomerKey = { tenantId: string; keyId: string; key: string };

/** Where the API is, and who may ask for a credential: a product, or a cluster behind one address. */
type Api = Pick<Product, "port" | "mintServiceKey">;

export type Customers = { serviceKey: string; tenantIds: string[]; keys: CustomerKey[] };

/** A plan that admits any load and still has every kind of limit to decide: a rate limit, and a hard quota with leases. */
const BENCH_PLAN = {
  planId: "bench",
  name: "Bench",
  visibility: "private",
  rateLimits: [{ name: "per-second", limit: 1_000_000, windowSeconds: 1 }],
  quotas: [{ meter: "requests", limit: 1_000_000_000, kind: "hard" }],
};

/** Whose calls end at an exact number. */
export const QUOTA_CALLS = 100_000;
const QUOTA_PLAN = {
  ...BENCH_PLAN,
  planId: "bench-quota",
  name: "Bench with an end",
  quotas: [{ meter: "requests", limit: QUOTA_CALLS, kind: "hard" }],
};

/** Keys made at the same time: the database does the work, so that more would only wait. */
const CREATED_AT_ONCE = 8;

/** Claims a fresh product and gives it tenants with keys, by the API as an operator would. */
export async function createCustomers(
  product: Api,
  counts: { tenants: number; keys: number },
): Promise<Customers> {
  const credential = await product.mintServiceKey();
  await callJson(product.port, {
    method: "PUT",
    path: "/v1/catalog",
    credential,
    body: { plans: [BENCH_PLAN, QUOTA_PLAN] },
  });
  return await createTenants(product, credential, { ...counts, planId: BENCH_PLAN.planId });
}

/** A tenant with {@link QUOTA_CALLS} calls and not one more, after {@link createCustomers}. */
export async function createQuotaCustomer(
  product: Product,
  input: { serviceKey: string; keys: number },
): Promise<Customers> {
  const counts = { tenants: 1, keys: input.keys, planId: QUOTA_PLAN.planId };
  return await createTenants(product, input.serviceKey, counts);
}

async function createTenants(
  product: Pick<Api, "port">,
  credential: string,
  counts: { tenants: number; keys: number; planId: string },
): Promise<Customers> {
  const { port } = product;
  const tenantIds: string[] = [];
  for (let index = 0; index < counts.tenants; index += 1) {
    const body = { name: `Bench ${String(index)}`, planId: counts.planId };
    const tenant = await callJson(port, { method: "POST", path: "/v1/tenants", credential, body });
    tenantIds.push(readText(tenant, "tenantId"));
  }
  const keys: CustomerKey[] = [];
  while (keys.length < counts.keys) {
    const count = Math.min(CREATED_AT_ONCE, counts.keys - keys.length);
    const made = Array.from({ length: count }, async (_, index) => {
      const tenantId = tenantIds[(keys.length + index) % tenantIds.length] ?? "";
      const path = `/v1/tenants/${tenantId}/keys`;
      const body = { name: "Bench", metadata: { region: "eu" } };
      const answer = await callJson(port, { method: "POST", path, credential, body });
      return { tenantId, keyId: readText(answer, "keyId"), key: readText(answer, "key") };
    });
    keys.push(...(await Promise.all(made)));
  }
  return { serviceKey: credential, tenantIds, keys };
}

/** Billable units of all tenants in the ledger, exact. */
export async function readLedger(
  product: Pick<Api, "port">,
  customers: Customers,
): Promise<number> {
  let quantity = 0;
  for (const tenantId of customers.tenantIds) {
    const answer = await callJson(product.port, {
      method: "GET",
      path: `/v1/tenants/${tenantId}/usage?measures=billable`,
      credential: customers.serviceKey,
    });
    quantity += Number(readText(answer, "totals", "billable"));
  }
  return quantity;
}

/** A million keys leave as many rows behind. */
const COMMIT_TIMEOUT_MS = 60_000;

/**
 * Waits until the ledger holds as many units as the clients were let through, and answers what it holds: the same number, or,
 * when it is not reached in a minute, also when some are there.
 */
export async function settleLedger(input: {
  product: Pick<Api, "port">;
  customers: Customers;
  expected: number;
}): Promise<number> {
  const endsAtMs = performance.now() + COMMIT_TIMEOUT_MS;
  for (;;) {
    const quantity = await readLedger(input.product, input.customers);
    if (quantity >= input.expected || performance.now() > endsAtMs) {
      return quantity;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * The text of a verification, as a program of the operator sends it.
 *
 * @param more - Further fields of the body.
 */
export function toVerifyRequest(serviceKey: string, key: string, more: object = {}): string {
  const body = JSON.stringify({ key, ...more });
  return [
    "POST /v1/keys/verify HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${serviceKey}`,
    "Content-Type: application/json",
    `Content-Length: ${String(body.length)}`,
    "",
    body,
  ].join("\r\n");
}

/** Verifications of the keys in a file, all of one length. */
export function toKeyedVerifyRequests(
  serviceKey: string,
  keys: Pick<KeyedRequests, "keysPath" | "keyLength">,
  more: object = {},
): KeyedRequests {
  const placeholder = "k".repeat(keys.keyLength);
  const [before = "", after = ""] = toVerifyRequest(serviceKey, placeholder, more).split(
    placeholder,
  );
  return { ...keys, before, after };
}
