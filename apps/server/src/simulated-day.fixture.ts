import type { VerifyKeyResponse } from "@turnpike/contract/keys";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { expect } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import { DAY_CATALOG, QUOTAS } from "./simulated-day-catalog.fixture.ts";

/** Moments of the day at which something happens, and how much at each. */
const MOMENTS_AN_HOUR = 30;
const ACTS_A_MOMENT = 12;
const EVENTS_A_BATCH = 8;
/** The last one is deleted in the afternoon. */
const NAMES = ["Early", "Late", "Short"];
const DENIALS = ["QUOTA_EXCEEDED", "TENANT_SUSPENDED"];

/** In Berlin the clocks are set back at 01:00Z and the local day has 25 hours; in Kolkata and on Lord Howe days begin within an hour. */
export const DAY_START_MS = Date.UTC(2026, 9, 25);
/** A billing period ends in the middle of the day. */
export const PERIOD_ANCHOR = new Date(Date.UTC(2026, 0, 25, 12));

/** An outcome that a caller received, and what it must count as. */
export type Fact = {
  tenantId: TenantId;
  meter: string;
  environment: "live" | "test";
  occurredAtMs: number;
  recordedAtMs: number;
  isDenied: boolean;
  /** Of the meter, scaled. */
  units: bigint;
};

export type Customer = {
  tenantId: TenantId;
  live: { keyId: string; key: string }[];
  test: { keyId: string; key: string };
};

/** A day of traffic on the real product, whose wall clock is moved; every answer that callers received is recorded. */
export class SimulatedDay {
  readonly seed = Number(process.env["TURNPIKE_SEED"] ?? 20_261_025);
  readonly facts: Fact[] = [];
  /** Units of locks that are still open when the day ends, taken in the period that runs then. */
  readonly locked = new Map<TenantId, number>();
  readonly happened = {
    denied: 0,
    failed: 0,
    late: 0,
    duplicates: 0,
    rejected: 0,
    locks: 0,
    refusedForGood: 0,
  };
  readonly database: TestDatabase;
  readonly #below = createBelow(this.seed);
  readonly #sentBefore: { event: object; ofTenant: TenantId }[] = [];
  #app: TestApp | undefined;
  #serviceKey = "";
  #customers: readonly Customer[] = [];
  /** Deleted in the course of the day. */
  #gone: Customer | undefined;
  #nowMs = DAY_START_MS;
  /** What the version of the meter `tokens` that is in force reads. */
  #tokensAt: "tokens" | "total" = "tokens";
  #serial = 0;

  private constructor(database: TestDatabase) {
    this.database = database;
  }

  static async open(): Promise<SimulatedDay> {
    const day = new SimulatedDay(await createTestDatabase());
    await day.#open();
    return day;
  }

  get app(): TestApp {
    return this.#app ?? expect.fail("the day has not begun");
  }

  get customers(): readonly Customer[] {
    return this.#customers;
  }

  /** The one that was deleted. */
  get gone(): Customer {
    return this.#gone ?? expect.fail("no one was deleted");
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Asks the API as a program of the operator. */
  async get<Reply>(path: string): Promise<Reply> {
    const reply = await this.app.call(this.#serviceKey, "GET", path);
    expect(reply.status, `${path}: ${reply.text}`).toBe(200);
    return reply.json as Reply;
  }

  /** Asks for what there must not be. */
  async getNothing(path: string): Promise<void> {
    expect((await this.app.call(this.#serviceKey, "GET", path)).status, path).toBe(404);
  }

  /** Brings the deleted one back, so that what it used can be looked at. */
  async restoreGone(): Promise<void> {
    const { tenantId } = this.gone;
    const restored = await this.#post(`/v1/deleted-tenants/${tenantId}/restore`, {});
    expect(restored.status, JSON.stringify(restored.json)).toBe(200);
  }

  /** The same for what is no JSON. */
  async getText(path: string): Promise<string> {
    const reply = await this.app.call(this.#serviceKey, "GET", path);
    expect(reply.status, path).toBe(200);
    return reply.text;
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] ?? expect.fail("nothing to pick from");
  }

  async #open(): Promise<void> {
    this.#app = await startTestApp(this.database, {
      clock: { now: () => new Date(this.#nowMs), monotonicMs: () => performance.now() },
      upstream: {
        onRequest: (req, res) => {
          const status = Number(/^\/answer\/(\d{3})$/.exec(req.url ?? "")?.[1] ?? 0);
          if (status === 0) {
            return false;
          }
          req.resume();
          res.writeHead(status).end();
          return true;
        },
      },
    });
    this.#serviceKey = await this.app.mintServiceKey(SCOPES);
    await applyCatalog(this.app.services, OPERATOR_CONTEXT, DAY_CATALOG);
    this.#customers = await Promise.all(
      NAMES.map(async (name) => {
        const tenantId = await this.app.mintTenant(name);
        const path = `/v1/tenants/${tenantId}`;
        await this.database.sql`
        update tenant_entitlements set period_anchor = ${PERIOD_ANCHOR} where tenant_id = ${tenantId}`;
        await this.app.call(this.#serviceKey, "PATCH", path, { planId: "small" });
        const mint = async (environment: string) =>
          (
            await this.#post<{ keyId: string; key: string }>(`${path}/keys`, {
              name: "Key",
              environment,
            })
          ).json;
        return {
          tenantId,
          live: [await mint("live"), await mint("live")],
          test: await mint("test"),
        };
      }),
    );
    for (const { live, test } of this.#customers) {
      for (const { key } of [...live, test]) {
        await pollUntil("the plan is heard of", async () => {
          const { json } = await this.#post<VerifyKeyResponse>("/v1/keys/verify", {
            key,
            cost: 0,
            meter: "credits",
          });
          return json.limits?.some(({ limit }) => limit === QUOTAS[1]?.limit);
        });
      }
    }
  }

  async #post<Reply>(path: string, body: object, headers: Record<string, string> = {}) {
    const reply = await fetch(this.app.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#serviceKey}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: reply.status, json: (await reply.json()) as Reply };
  }

  #pickCustomer(): Customer {
    return this.#pick(this.#customers.filter((customer) => customer !== this.#gone));
  }

  /** Of one's own keys, the one for tests now and then. */
  #pickKey() {
    const customer = this.#pickCustomer();
    const isTest = this.#below(8) === 0;
    const { key } = isTest ? customer.test : this.#pick(customer.live);
    return {
      key,
      tenantId: customer.tenantId,
      environment: isTest ? ("test" as const) : ("live" as const),
    };
  }

  #note(
    fact: Pick<Fact, "tenantId" | "meter" | "environment"> & Partial<Fact>,
    units: bigint | undefined,
  ): void {
    this.happened.denied += units === undefined ? 1 : 0;
    this.facts.push({
      occurredAtMs: this.#nowMs,
      recordedAtMs: this.#nowMs,
      isDenied: units === undefined,
      units: units ?? 0n,
      ...fact,
    });
  }

  async #callGateway(): Promise<void> {
    const { key, ...whose } = this.#pickKey();
    const status = this.#pick([200, 200, 204, 404, 500]);
    const reply = await fetch(`${this.app.gatewayUrl}/answer/${String(status)}`, {
      headers: { "x-api-key": key },
    });
    await reply.body?.cancel();
    expect([status, 429, 403]).toContain(reply.status);
    const isBilled = reply.status === 200 || reply.status === 204;
    this.happened.failed += isBilled ? 0 : 1;
    const units =
      reply.status === 429 || reply.status === 403 ? undefined : isBilled ? toScaled("1") : 0n;
    this.#note({ ...whose, meter: "requests" }, units);
  }

  async #verify(): Promise<void> {
    const { key, ...whose } = this.#pickKey();
    const cost = this.#below(6);
    const meter = this.#pick(["requests", "credits", "credits"]);
    const body = { key, cost, meter };
    const once = { "idempotency-key": `verify-${String(this.#serial++)}` };
    const { json } = await this.#post<VerifyKeyResponse>("/v1/keys/verify", body, once);
    expect(["VALID", ...DENIALS]).toContain(json.code);
    if (this.#below(3) === 0) {
      // The same question again is the same answer, and no usage.
      const again = await this.#post<VerifyKeyResponse>("/v1/keys/verify", body, once);
      expect(again.json).toEqual(json);
    }
    if (cost > 0) {
      this.#note({ ...whose, meter }, json.valid ? toScaled(String(cost)) : undefined);
    }
  }

  async #lockAndEnd(): Promise<void> {
    const { key, ...whose } = this.#pickKey();
    const cost = 5 + this.#below(20);
    const body = { key, cost, meter: "credits", lock: { ttlSeconds: 86_400 } };
    const { json } = await this.#post<VerifyKeyResponse>("/v1/keys/verify", body);
    if (json.lock === undefined) {
      expect(DENIALS).toContain(json.code);
      this.#note({ ...whose, meter: "credits" }, undefined);
      return;
    }
    this.happened.locks += 1;
    const path = `/v1/locks/${json.lock.lockId}`;
    const how = this.#below(10);
    if (how === 0) {
      const open = whose.environment === "live" ? cost : 0;
      const isThisPeriod = this.#nowMs >= DAY_START_MS + 12 * HOUR_MS;
      this.locked.set(
        whose.tenantId,
        (this.locked.get(whose.tenantId) ?? 0) + (isThisPeriod ? open : 0),
      );
    } else if (how < 4) {
      expect((await this.#post(`${path}/release`, {})).status).toBe(200);
    } else {
      const settled = this.#below(cost + 1);
      expect((await this.#post(`${path}/settle`, { cost: settled })).status).toBe(200);
      // A client that was not answered asks again.
      expect((await this.#post(`${path}/settle`, { cost: settled })).status).toBe(200);
      this.#note({ ...whose, meter: "credits" }, toScaled(String(settled)));
    }
  }

  async #sendEvents(): Promise<void> {
    const { tenantId } = this.#pickCustomer();
    const fresh = Array.from({ length: 1 + this.#below(EVENTS_A_BATCH) }, () => {
      // Most are of now; some hours, some weeks late.
      const lateMs =
        this.#pick([0, 0, 0, this.#below(6) * HOUR_MS, this.#below(34) * DAY_MS]) +
        this.#below(MINUTE_MS);
      this.happened.late += lateMs >= HOUR_MS ? 1 : 0;
      const isGood = this.#below(12) > 0;
      return {
        lateMs,
        isGood,
        event: {
          specversion: "1.0",
          id: `e${String(this.#serial++)}`,
          source: "/day",
          type: isGood ? "llm.call" : "no.meter",
          subject: tenantId,
          time: new Date(this.#nowMs - lateMs).toISOString(),
          data: {
            tokens: this.#pick([0, 1, 0.1, "0.2", 17]),
            total: this.#pick([100, "0.000000000001"]),
            model: this.#pick(["a", "b"]),
          },
        },
      };
    });
    const known = this.#sentBefore.filter(({ ofTenant }) => ofTenant !== this.#gone?.tenantId);
    const again = this.#below(3) === 0 ? known.slice(-this.#below(20)) : [];
    const events = [...fresh.map(({ event }) => event), ...again.map(({ event }) => event)];
    const { json } = await this.#post<{ accepted: number; duplicates: number; rejected: number }>(
      "/v1/events",
      events,
      { "content-type": "application/cloudevents-batch+json" },
    );
    const good = fresh.filter(({ isGood }) => isGood);
    const isAllBad = good.length + again.length === 0;
    expect(json).toMatchObject({
      accepted: good.length,
      duplicates: again.length,
      rejected: fresh.length - good.length,
    });
    this.happened.rejected += isAllBad ? 1 : fresh.length - good.length;
    this.happened.duplicates += again.length;
    for (const { event, lateMs } of good) {
      const whose = { tenantId, environment: "live" as const, occurredAtMs: this.#nowMs - lateMs };
      this.#note({ ...whose, meter: "tokens" }, toScaled(String(event.data[this.#tokensAt])));
      this.#note({ ...whose, meter: "runs" }, toScaled("1"));
      this.#sentBefore.push({ event, ofTenant: tenantId });
    }
  }

  async #change(hour: number): Promise<void> {
    const [early, late] = this.#customers;
    switch (hour) {
      // In the hour that Berlin has twice.
      case 1:
        await this.#changeMeter();
        return;
      case 9:
        await this.#patch(early, { planId: "large" });
        return;
      case 15:
        await this.#patch(late, { planId: "large" });
        return;
      case 16:
        await this.#deleteLast();
        return;
      case 18:
        await this.#patch(early, { planId: "small" });
        return;
      case 20:
        await this.#patch(late, { suspended: true });
        return;
      case 22:
        await this.#patch(late, { suspended: false });
        return;
      default:
    }
  }

  async #changeMeter(): Promise<void> {
    const change = { valuePointer: "/total", dimensions: null };
    const changed = await this.app.call(this.#serviceKey, "PATCH", "/v1/meters/tokens", change);
    expect(changed.json).toMatchObject({ version: 2 });
    this.#tokensAt = "total";
  }

  async #deleteLast(): Promise<void> {
    const customer = this.#customers.at(-1) ?? expect.fail("there is no customer");
    const { tenantId, live } = customer;
    const deleted = await this.app.call(
      this.#serviceKey,
      "POST",
      `/v1/tenants/${tenantId}/delete`,
      { name: NAMES.at(-1) },
    );
    expect(deleted.status, deleted.text).toBe(204);
    this.#gone = customer;
    await pollUntil("no call is admitted any more", async () => {
      const body = { key: live[0]?.key, cost: 0 };
      const { json } = await this.#post<VerifyKeyResponse>("/v1/keys/verify", body);
      return json.code === "INVALID_KEY" && (await this.#reportForGone()) === "UNKNOWN_SUBJECT";
    });
  }

  /** @returns Why an event of the deleted tenant is not taken. */
  async #reportForGone(): Promise<string | undefined> {
    const event = { specversion: "1.0", id: "gone", source: "/day", type: "llm.call" };
    const { json } = await this.#post<{ results: { code?: string }[] }>(
      "/v1/events",
      {
        ...event,
        subject: this.gone.tenantId,
        data: { tokens: 1, total: 1 },
        // Too old to be recorded, should the deletion not be heard of yet.
        time: new Date(this.#nowMs - 40 * DAY_MS).toISOString(),
      },
      { "content-type": "application/cloudevents+json" },
    );
    return json.results[0]?.code;
  }

  /** Calls for a deleted tenant are refused everywhere, and none of them is counted. */
  async #callForGone(): Promise<void> {
    const [{ key } = expect.fail("it had no key")] = this.gone.live;
    const reply = await fetch(`${this.app.gatewayUrl}/answer/200`, {
      headers: { "x-api-key": key },
    });
    await reply.body?.cancel();
    expect(reply.status).toBe(401);
    const { json } = await this.#post<VerifyKeyResponse>("/v1/keys/verify", { key });
    expect(json.code).toBe("INVALID_KEY");
    expect(await this.#reportForGone()).toBe("UNKNOWN_SUBJECT");
    this.happened.refusedForGood += 1;
  }

  async #patch(customer: Customer | undefined, change: object): Promise<void> {
    const path = `/v1/tenants/${customer?.tenantId ?? ""}`;
    expect((await this.app.call(this.#serviceKey, "PATCH", path, change)).status).toBe(200);
  }

  /** Lets the day pass. */
  async run(): Promise<void> {
    const acts = [
      () => this.#callGateway(),
      () => this.#callGateway(),
      () => this.#verify(),
      () => this.#verify(),
      () => this.#lockAndEnd(),
      () => this.#sendEvents(),
    ];
    for (let hour = 0; hour < 24; hour += 1) {
      this.#nowMs = DAY_START_MS + hour * HOUR_MS;
      await this.#change(hour);
      for (let moment = 0; moment < MOMENTS_AN_HOUR; moment += 1) {
        this.#nowMs += 1 + this.#below(HOUR_MS / MOMENTS_AN_HOUR - 1);
        this.#nowMs = Math.min(this.#nowMs, DAY_START_MS + (hour + 1) * HOUR_MS - 1);
        await Promise.all([
          ...Array.from({ length: ACTS_A_MOMENT }, () => this.#pick(acts)()),
          ...(this.#gone === undefined ? [] : [this.#callForGone()]),
        ]);
      }
    }
    this.#nowMs = DAY_START_MS + 24 * HOUR_MS - 1;
    await pollUntil("everything is in the ledger", async () => {
      const [row] = await this.database.sql<{ calls: number }[]>`
        select coalesce(sum(calls), 0)::int as calls from ledger_entries`;
      return row?.calls === this.facts.length;
    });
  }

  async close(): Promise<void> {
    await this.#app?.close();
    await this.database.close();
  }
}
