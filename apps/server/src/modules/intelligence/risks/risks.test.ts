import { catalogInput } from "@turnpike/contract/catalog";
import type { Scope } from "@turnpike/domain/access/scopes";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getCredits, grantCredit, listInvoices, putSpendCap } from "#modules/billing/index.ts";
import { act, publishPricedPlans, recordUsage } from "#modules/billing/testing/billing.fixture.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createKey } from "#modules/keys/index.ts";
import { askQuestion } from "../ask/ask-question.ts";
import { createVocabularyCache } from "../ask/named-vocabulary.ts";
import { listInsights, refreshInsights, updateInsight } from "../manage-insights.ts";
import { type RecordedCalls, recordCalls } from "../testing/record-calls.fixture.ts";
import { openScanDeps } from "../testing/scan-deps.fixture.ts";

const DAY_MS = 24 * 60 * 60_000;
const DAYS = 40;

const PREPAID = catalogInput.parse({
  plans: [
    {
      planId: "prepaid",
      name: "Prepaid",
      currency: "USD",
      isPrepaid: true,
      phases: [
        {
          rateCards: [
            {
              key: "requests",
              meter: "requests",
              interval: { month: 1 },
              timing: "arrears",
              price: { model: "per_unit", unitAmount: "0.01" },
            },
          ],
        },
      ],
    },
  ],
});

let database: TestDatabase;
let deps: ReturnType<typeof openScanDeps>;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openScanDeps(database);
});
afterAll(() => database.close());

const makeKey = async (tenantId: TenantId, scopes: Scope[] = []): Promise<KeyId> =>
  (
    await createKey(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      name: "k",
      scopes,
      metadata: {},
    })
  ).keyId;

/** Insights of facts, by kind and key; anomalies are judged elsewhere. */
async function look(tenantId: TenantId) {
  const { items } = await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId });
  return items
    .filter(({ kind }) => kind !== "anomaly")
    .toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.text < b.text ? -1 : 1));
}

/** Four weeks of calls of one route by each key, and what each does in the last day. */
async function call(tenantId: TenantId, keys: readonly KeyId[], last: readonly RecordedCalls[]) {
  const habit = keys.flatMap((key) =>
    Array.from({ length: 27 }, (_, day) => ({
      hour: 30 + day * 24,
      key,
      route: "/cities",
      calls: 60,
    })),
  );
  await recordCalls(deps, tenantId, [...habit, ...last]);
}

describe("risks of keys", () => {
  it("name the key that leaked, moved, changed or may too much, each once; a look-alike tenant gets none", async () => {
    const { tenantId, context } = await createTestTenant(deps, "Acme");
    const twin = await createTestTenant(deps, "Acme");
    const [leaked, moved, changed, together, broad, calm] = [
      await makeKey(tenantId, ["keys:write"]),
      await makeKey(tenantId),
      await makeKey(tenantId),
      await makeKey(tenantId),
      await makeKey(tenantId, ["usage:read", "keys:write", "webhooks:write"]),
      await makeKey(tenantId, ["keys:write"]),
    ];
    const twinKey = await makeKey(twin.tenantId);
    deps.clock.advance(DAYS * DAY_MS);
    await createKey(deps, contextOf({ type: "key", id: calm, tenantId, scopes: ["keys:write"] }), {
      tenantId,
      environment: "test",
      name: "made by a key",
      scopes: [],
      metadata: {},
    });
    const [first, second] = [
      { hour: 5, route: "/cities" },
      { hour: 3, route: "/dump" },
    ];
    await call(
      tenantId,
      [leaked, moved, changed, together, broad, calm],
      [
        { ...first, key: moved, calls: 40, status: 403, outcome: "FORBIDDEN_NETWORK" },
        { ...first, key: changed, calls: 20 },
        { ...second, key: changed, calls: 70 },
        { ...second, key: together, calls: 60 },
        { ...first, key: calm, calls: 90 },
        { ...second, key: calm, calls: 30 },
        { ...first, key: broad, calls: 12, status: 403, outcome: "INSUFFICIENT_SCOPE" },
      ],
    );
    await call(twin.tenantId, [twinKey], [{ ...first, key: twinKey, calls: 100 }]);
    await database.sql`
      insert into key_leaks (tenant_id, key_id, place_hash, source, url, found_at, revoked, told_at)
      values (${tenantId}, ${leaked}, 'a', 'commit', 'https://example.com/a', ${deps.clock.now()}, false, null),
        (${tenantId}, ${leaked}, 'b', 'commit', 'https://example.com/b', ${deps.clock.now()}, false, null)`;

    const found = await look(tenantId);
    expect(found.map(({ kind, action, confidence }) => [kind, action.do, confidence])).toEqual([
      ["key_changed", "narrow_key", 1],
      ["key_changed", "open_chart", 130 / 150],
      ["key_foreign_network", "revoke_key", 1],
      ["key_leaked", "revoke_key", 1],
      ["key_overbroad", "narrow_key", 1],
    ]);
    const texts = found.map(({ text }) => text);
    expect(texts[0]).toContain(`The key ${broad} calls what it has no right to`);
    expect(texts[1]).toContain("130 calls of /dump in a day, 87% of all");
    expect([changed, together].every((key) => texts[1]?.includes(key))).toBe(true);
    expect(texts[2]).toContain(`${moved} is used from a network that it may not be used from`);
    expect(texts[2]).toContain("40 calls");
    expect(texts[3]).toContain(`The key ${leaked} was found in public`);
    expect(texts[3]).toContain("in 2 places,");
    expect(texts[4]).toContain(`The key ${broad} has keys:write and webhooks:write`);

    const asked = { after: [], timeZone: "UTC", kind: "query" as const };
    const { sentence } = await askQuestion(
      { ...deps, vocabularies: createVocabularyCache() },
      context,
      { ...asked, tenantId, question: "which keys are leaked or at risk?" },
    );
    expect(sentence).toMatch(/^5 .*key/);

    expect(await look(twin.tenantId)).toEqual([]);
    const { items: seen } = await listInsights(deps, twin.context, {
      tenantId: twin.tenantId,
      state: "all",
    });
    expect(seen).toEqual([]);

    // The same cause is the same insight, and quiet once it was dismissed; a day later what was new is known.
    const ids = (await look(tenantId)).map(({ insightId }) => insightId);
    expect(ids).toEqual(found.map(({ insightId }) => insightId));
    const insightId = ids[3] ?? expect.fail();
    await updateInsight(deps, context, { tenantId, insightId, isDismissed: true });
    expect((await look(tenantId)).map(({ kind }) => kind)).not.toContain("key_leaked");
    deps.clock.advance(DAY_MS);
    expect((await look(tenantId)).map(({ kind }) => kind)).toEqual(["key_overbroad"]);
  });
});

describe("risks of money", () => {
  it("are one insight for a cause, with the sums, for those who may read invoices", async () => {
    await publishPricedPlans(deps);
    const { tenantId } = await createTestTenant(deps, "Paying");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    const now = deps.clock.now();
    const page = { tenantId, environment: "live", limit: 5 } as const;
    const { items: invoices } = await listInvoices(deps, OPERATOR_CONTEXT, page);
    const [invoice] = invoices;
    const fail = (attemptId: string, reason: string, at: Date) => database.sql`
      insert into payment_attempts (tenant_id, attempt_id, environment, invoice_id, provider, customer_ref, method_ref, amount,
        currency, cause, state, reason, created_at, updated_at)
      values (${tenantId}, ${attemptId}, 'live', ${invoice?.invoiceId ?? ""}, 'stripe', 'cus_1', 'pm_1', 3100, 'USD', 'issued',
        'failed', ${reason}, ${at}, ${at})`;
    await fail("pat_1", "expired_card", now);
    await fail("pat_2", "insufficient_funds", new Date(now.getTime() + 60_000));
    const expiresAt = new Date(now.getTime() + 30 * DAY_MS).toISOString();
    await grantCredit(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
      kind: "promotional",
      amount: "12.00",
      priority: 100,
      expiresAt,
      reason: "Welcome",
    });
    const usable = await getCredits(deps, OPERATOR_CONTEXT, { tenantId, environment: "live" });
    expect(usable.promotional).toBe("12.00");
    // The invoice is past its day as well: it is in one insight.
    deps.clock.advance(20 * DAY_MS);

    const found = await look(tenantId);
    expect(found.map(({ kind, text, action }) => [kind, text, action.do])).toEqual([
      [
        "credit_expiring",
        `12.00 USD of credit expires on ${expiresAt.slice(0, 10)} unless it is used by then.`,
        "open_credit",
      ],
      [
        "payment_failed",
        `The payment of ${invoice?.number ?? ""} failed on ${now.toISOString().slice(0, 10)} (insufficient funds): calls will be denied if it is not paid.`,
        "pay_invoice",
      ],
    ]);
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["usage:read"] });
    const { items } = await listInsights(deps, reader, { tenantId, state: "all" });
    expect(items.filter(({ kind }) => kind !== "anomaly")).toEqual([]);
  });

  it("tell that a spend cap or credit is nearly used up", async () => {
    const { tenantId } = await createTestTenant(deps, "Capped");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await putSpendCap(deps, OPERATOR_CONTEXT, { tenantId, amount: "34.00" });
    const found = await look(tenantId);
    expect(found).toMatchObject([{ kind: "spend_cap_near", action: { do: "change_spend_cap" } }]);
    expect(found[0]?.text).toMatch(/^91% of the spend cap of 34\.00 USD is used; /);

    await applyCatalog(deps, OPERATOR_CONTEXT, PREPAID);
    const prepaid = await createTestTenant(deps, "Prepaid");
    await act(deps, { tenantId: prepaid.tenantId }, { do: "subscribe", planId: "prepaid" });
    await grantCredit(deps, OPERATOR_CONTEXT, {
      ...{ tenantId: prepaid.tenantId, environment: "live", kind: "prepaid" },
      ...{ amount: "20.00", priority: 100, reason: "Bought" },
    });
    deps.clock.advance(60_000);
    const at = new Date(deps.clock.now().getTime() - 60_000);
    await recordUsage(deps, { tenantId: prepaid.tenantId, at, quantity: 1850 });
    expect(await look(prepaid.tenantId)).toMatchObject([
      {
        kind: "credit_low",
        text: "1.50 USD of credit is left, 7% of what was granted; calls beyond it are denied.",
        action: { do: "add_credit" },
      },
    ]);
  });
});
