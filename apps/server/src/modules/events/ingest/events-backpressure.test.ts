import type { EventReceipt } from "@turnpike/contract/events";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newUuidId } from "#platform/new-id.ts";
import type { Parcel } from "./event-writer.ts";
import { openEvents } from "./open-events.ts";
import { takeEvents } from "./take-events.ts";

const MB = 1024 * 1024;
const PADDING = "x".repeat(60 * 1024);

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  const reader = await app.mintServiceKey(["catalog:write"]);
  const meter = { meterId: "runs", name: "Runs", unit: "run", aggregation: "count" };
  const body = { ...meter, eventType: "run.done" };
  expect(await app.call(reader, "POST", "/v1/meters", body)).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

type Customer = { tenantId: TenantId; keys: string[] };

async function createCustomer(name: string): Promise<Customer> {
  const tenantId = await app.mintTenant(name);
  const mint = () => app.mintKey(tenantId, ["events:write"]);
  return { tenantId, keys: [await mint(), await mint()] };
}

let flooding: Customer;
let quiet: Customer;
beforeEach(async () => {
  flooding = await createCustomer("Flooding");
  quiet = await createCustomer("Quiet");
});

type Answer = {
  status: number;
  retryAfter: string | null;
  json: EventReceipt & { code?: string };
};

let serial = 0;
/** Sends events of about this many bytes in total. */
async function send(key: string | undefined, bytes: number): Promise<Answer> {
  const count = Math.max(1, Math.round(bytes / PADDING.length));
  const events = Array.from({ length: count }, () => {
    serial += 1;
    const data = bytes < PADDING.length ? {} : { text: PADDING };
    return { specversion: "1.0", id: String(serial), source: "/flood", type: "run.done", data };
  });
  const reply = await fetch(`${app.url}/v1/events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key ?? ""}`,
      "content-type": "application/cloudevents-batch+json",
    },
    body: JSON.stringify(events),
  });
  return {
    status: reply.status,
    retryAfter: reply.headers.get("retry-after"),
    json: (await reply.json()) as Answer["json"],
  };
}

/** Blocks the database from recording events while `work` runs. */
async function whileNothingIsRecorded<Result>(work: () => Promise<Result>): Promise<Result> {
  let release = (): void => undefined;
  let isLocked = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const locked = new Promise<void>((resolve) => {
    isLocked = resolve;
  });
  const holding = database.sql.begin(async (tx) => {
    await tx`lock table event_ids in access exclusive mode`;
    isLocked();
    await released;
  });
  await locked;
  try {
    return await work();
  } finally {
    release();
    await holding;
  }
}

async function recordedOf({ tenantId }: Customer): Promise<number> {
  const [row] = await database.sql<{ events: number }[]>`
    select coalesce(sum(calls), 0)::int as events from ledger_entries where tenant_id = ${tenantId}`;
  return row?.events ?? 0;
}

/** Requests in flight, with the answers so far. */
function start(requests: readonly Promise<Answer>[]) {
  const answered: Answer[] = [];
  for (const request of requests) {
    void request.then((answer) => answered.push(answer));
  }
  return { answered, all: Promise.all(requests) };
}

describe("events that come faster than they are recorded", () => {
  it("are refused with 429 for the tenant that floods, with any of its keys, and accepted for another", async () => {
    const { flood, others } = await whileNothingIsRecorded(async () => {
      const requests = Array.from({ length: 12 }, (_, place) => send(flooding.keys[place % 2], MB));
      const started = start(requests);
      // Half of the 16 MB, minus the overhead of the requests.
      await pollUntil("the flood is refused beyond its share", () => started.answered.length === 5);
      for (const { status, retryAfter, json } of started.answered) {
        expect([status, retryAfter, json.code]).toEqual([429, "1", "TOO_MANY_EVENTS"]);
      }
      const [again, one, many] = [
        send(flooding.keys[0], MB),
        send(quiet.keys[0], 1),
        send(quiet.keys[1], 3 * MB),
      ];
      expect(await again).toMatchObject({ status: 429 });
      return { flood: started, others: Promise.all([one, many]) };
    });
    for (const { status, json } of await others) {
      expect([status, json.rejected]).toEqual([200, 0]);
    }
    const answers = await flood.all;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const accepted = answers.reduce((sum, { json }) => sum + (json.accepted ?? 0), 0);
    expect(await recordedOf(flooding)).toBe(accepted);
    // A refused request is accepted when it is sent again.
    expect(await send(flooding.keys[0], MB)).toMatchObject({ status: 200 });
  });

  it("are refused with 503 when there is no room at all, and accepted afterwards", async () => {
    const customers = await Promise.all(
      ["a", "b", "c", "d", "e"].map((name) => createCustomer(name)),
    );
    const waiting = await whileNothingIsRecorded(async () => {
      const started = start(customers.map(({ keys }) => send(keys[0], 3.6 * MB)));
      await pollUntil("one finds no room", () => started.answered.length === 1);
      expect(started.answered[0]).toMatchObject({
        status: 503,
        retryAfter: "1",
        json: { code: "OVERLOADED" },
      });
      return started;
    });
    const answers = await waiting.all;
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 503]);
    expect(await send(quiet.keys[0], 1)).toMatchObject({ status: 200, json: { accepted: 1 } });
  });

  it("are recorded in turns: a sender of few events does not wait behind all events of another", async () => {
    const opened = openEvents(app.services);
    const { writer } = opened;
    let waiting = 0;
    const events = {
      ...opened,
      writer: {
        write: (parcel: Parcel) => {
          waiting += 1;
          return writer.write(parcel);
        },
      },
    };
    const done: string[] = [];
    const take = async ({ tenantId }: Customer, count: number) => {
      const actor = { type: "key", id: newUuidId("key"), tenantId, scopes: SCOPES } as const;
      const values = Array.from({ length: count }, () => {
        serial += 1;
        return { specversion: "1.0", id: String(serial), source: "/turns", type: "run.done" };
      });
      const receipt = await takeEvents(events, contextOf(actor), values);
      expect(receipt.accepted).toBe(count);
      done.push(tenantId);
    };
    const { all } = await whileNothingIsRecorded(async () => {
      const flood = Array.from({ length: 8 }, () => take(flooding, 900));
      const taken = Promise.all([...flood, take(quiet, 1)]);
      await pollUntil("all wait for the writers", () => waiting === 9);
      return { all: taken };
    });
    await all;
    expect(done).toHaveLength(9);
    expect(done.indexOf(quiet.tenantId)).toBeLessThan(5);
  });

  it("count as they arrive when their length is unknown: small senders do not wait", async () => {
    const controllers: ReadableStreamDefaultController[] = [];
    const stream = (key: string | undefined) =>
      fetch(`${app.url}/v1/events`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key ?? ""}`,
          "content-type": "application/cloudevents-batch+json",
        },
        body: new ReadableStream({
          start: (controller) => {
            controllers.push(controller);
            controller.enqueue(Buffer.from("["));
          },
        }),
        duplex: "half",
      } as RequestInit);
    const open = Array.from({ length: 20 }, () => stream(flooding.keys[0]));
    expect(await send(flooding.keys[1], 1)).toMatchObject({ status: 200 });
    for (const controller of controllers) {
      controller.enqueue(Buffer.from("]"));
      controller.close();
    }
    for (const reply of await Promise.all(open)) {
      expect(reply.status).toBe(200);
      await reply.body?.cancel();
    }
  });
});
