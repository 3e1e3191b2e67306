import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type ExportFormat, exportQuestion } from "@turnpike/contract/exports";
import { usageQuery } from "@turnpike/contract/usage-query";
import type { Role } from "@turnpike/domain/access/scopes";
import { createFakeClock, type FakeClock } from "@turnpike/testkit/fake-clock";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestTenant,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileStore, openLocalFileStore, StorageFullError } from "#modules/files/index.ts";
import { commitGroups } from "#modules/metering/index.ts";
import { deleteTenant } from "#modules/tenants/index.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { startJobRunner } from "#platform/job-runner.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact } from "#platform/transact.ts";
import { queryUsage } from "../queries/query-usage.ts";
import { toUsageCsv } from "../queries/usage-csv.ts";
import { CHANGES_MS, inventCalls, toGroup } from "../testing/invented-calls.fixture.ts";
import type { ReferenceCalls } from "../testing/usage-reference.fixture.ts";
import { createDownload, openDownload } from "./download-export.ts";
import { createAnalyticsJobs } from "./exports.jobs.ts";
import { deleteExportChunks, exportFiles, lockExport } from "./exports.store.ts";
import { forgetExports } from "./forget-exports.ts";
import {
  cancelExport,
  createExport,
  deleteExport,
  type ExportsDeps,
  getExport,
  listExports,
} from "./manage-exports.ts";
import { writeExport } from "./write-export.ts";

const DAY_MS = 86_400_000;
const ATTEMPT = { isLast: false, signal: new AbortController().signal };
/** More groups in one bucket than one answer of the API may have. */
const ROUTES = 12_000;

let database: TestDatabase;
let services: TestServices;
let clock: FakeClock;
let folder: TempFolder;
let fileStore: FileStore;
let tenants: TwoTenants;
let deps: ExportsDeps & { signingSecret: string; apiUrl: string };
/** What was handed to the queue. */
const queued: unknown[] = [];
const jobs: JobQueue = {
  enqueue: async (_job, payload) => {
    queued.push(payload);
  },
};

beforeAll(async () => {
  database = await createTestDatabase();
  clock = createFakeClock("2026-11-20T10:00:30Z");
  services = { ...createTestServices(database), clock, newId: newUuidId };
  folder = await makeTempFolder();
  fileStore = await openLocalFileStore(folder.path, clock.now());
  tenants = await createTwoTenants(services);
  const { ours, theirs } = tenants;
  deps = { ...services, jobs, fileStore, signingSecret: "s".repeat(32), apiUrl: "http://api.test" };
  const owners = [ours, theirs].map(({ tenantId }) => ({
    tenantId,
    plan: "free",
    keys: [newUuidId("key"), newUuidId("key")] as const,
  }));
  const [first, second] = owners;
  if (first === undefined || second === undefined) {
    throw new Error("Two tenants were made.");
  }
  const calls = inventCalls([first, second], 800);
  const many = Array.from(
    { length: ROUTES },
    (_, n): ReferenceCalls => ({
      ...(calls[0] as ReferenceCalls),
      tenant: ours.tenantId,
      minuteMs: Date.UTC(2026, 5, 1, 12),
      route: `/many/${String(n)}`,
      calls: 1 + (n % 3),
    }),
  );
  await commitGroups(services, [toGroup(calls, newUuidId), toGroup(many, newUuidId)]);
});
afterAll(async () => {
  await database.close();
  await folder[Symbol.asyncDispose]();
});

type Question = Record<string, string>;

async function begin(
  question: Question,
  { format = "csv", tenant = tenants.ours }: { format?: ExportFormat; tenant?: TestTenant } = {},
) {
  const { tenantId, context } = tenant;
  const made = await createExport(deps, context, { tenantId, name: "Usage", format, question });
  return { tenantId, exportId: made.exportId };
}

async function readContent(ref: { tenantId: TestTenant["tenantId"]; exportId: string }) {
  const { context } = ref.tenantId === tenants.ours.tenantId ? tenants.ours : tenants.theirs;
  const { url } = await createDownload(deps, context, ref);
  const query = new URL(url).searchParams;
  const { content, bytes } = await openDownload(deps, ref, {
    expires: query.get("expires") ?? "",
    signature: query.get("signature") ?? "",
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) {
    chunks.push(chunk);
  }
  const all = Buffer.concat(chunks);
  expect(all.length).toBe(bytes);
  return all.toString("utf8");
}

/** All turns of an export, at once. */
async function writeTurns(...[of, ref, attempt]: Parameters<typeof writeExport>): Promise<void> {
  let turns = 0;
  while (queued.length !== turns) {
    turns = queued.length;
    await writeExport(of, ref, attempt);
  }
}

const get = (ref: { tenantId: TestTenant["tenantId"]; exportId: string }) =>
  getExport(deps, tenants.ours.context, ref);

const codeOf = async (work: Promise<unknown>) => (await refusalOf(work)).code;

async function countStored(): Promise<number> {
  const names = await readdir(folder.path, { recursive: true });
  return names.filter((name) => name.includes("file_")).length;
}

const [FIRST_CHANGE_MS = 0] = CHANGES_MS;
const range = (fromMs: number, toMs: number) => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

describe("exports of usage", () => {
  it.each<[string, Question]>([
    [
      "by the hour and route",
      { measures: "requests,errors,billable,latency_p95", dimensions: "route", grain: "hour" },
    ],
    [
      "by the day of a zone, clocks changing",
      {
        measures: "requests,error_rate,bytes_out",
        dimensions: "status,method",
        grain: "day",
        timeZone: "Australia/Lord_Howe",
      },
    ],
    [
      "without a time axis, filtered",
      {
        measures: "requests,denied,latency_avg",
        dimensions: "outcome,environment",
        status_class: "4xx,5xx",
      },
    ],
  ])("has the rows of the API to the unit: %s", async (_name, asked) => {
    const question = {
      ...asked,
      ...range(FIRST_CHANGE_MS - 3 * DAY_MS, FIRST_CHANGE_MS + 3 * DAY_MS + 1),
    };
    const { tenantId, context } = tenants.ours;
    const report = await queryUsage(services, context, usageQuery.parse({ tenantId, ...question }));
    expect(report.rows.length).toBeGreaterThan(3);

    const csv = await begin(question);
    await writeTurns(deps, csv, ATTEMPT);
    expect(await readContent(csv)).toBe(toUsageCsv(report));

    const json = await begin(question, { format: "json" });
    await writeTurns(deps, json, ATTEMPT);
    const { rows, from, to, grain, timeZone, measures, dimensions } = report;
    expect(JSON.parse(await readContent(json))).toEqual({
      rows,
      from,
      to,
      grain,
      timeZone,
      measures,
      dimensions,
    });
    expect(await get(json)).toMatchObject({ state: "done", rows: rows.length, failure: null });
  });

  it("writes more rows than an answer may have, a thousand at once", async () => {
    const ref = await begin({
      dimensions: "route,key",
      ...range(Date.UTC(2026, 5, 1), Date.UTC(2026, 5, 2)),
    });
    let largest = 0;
    await writeTurns(
      {
        ...deps,
        fileStore: {
          ...fileStore,
          put: (fileId, content, options) =>
            fileStore.put(
              fileId,
              (async function* () {
                for await (const chunk of content) {
                  largest = Math.max(largest, Buffer.from(chunk).toString().split("\r\n").length);
                  yield chunk;
                }
              })(),
              options,
            ),
        },
      },
      ref,
      ATTEMPT,
    );
    const lines = (await readContent(ref)).trimEnd().split("\r\n");
    expect(lines[0]).toBe("route,key,key_name,requests");
    expect(lines.length).toBe(ROUTES + 1);
    expect(new Set(lines).size).toBe(ROUTES + 1);
    expect(largest).toBeLessThanOrEqual(1_001);
    const total = lines.slice(1).reduce((sum, line) => sum + Number(line.split(",").at(-1)), 0);
    expect(total).toBe(ROUTES * 2);
    expect(await get(ref)).toMatchObject({ rows: ROUTES, progress: { done: 1, total: 1 } });
  });

  it("is empty but complete without usage", async () => {
    const question = { grain: "day", ...range(Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 3)) };
    const json = await begin(question, { format: "json" });
    await writeTurns(deps, json, ATTEMPT);
    expect(JSON.parse(await readContent(json)).rows).toEqual([]);
  });

  it("leaves no text that a spreadsheet would run", async () => {
    const ref = await begin({ dimensions: "route" });
    await writeTurns(deps, ref, ATTEMPT);
    const csv = await readContent(ref);
    expect(csv).toContain('"\'=1+1",');
    expect(csv).not.toMatch(/(^|[,\n])"?=/);
  });

  it("continues after the last chunk after kill -9, and writes nothing twice", async () => {
    const question = {
      measures: "requests,billable",
      dimensions: "route",
      grain: "hour",
      ...range(FIRST_CHANGE_MS - 3 * DAY_MS, FIRST_CHANGE_MS + 3 * DAY_MS),
    };
    const whole = await begin(question);
    await writeTurns(deps, whole, ATTEMPT);
    const ref = await begin(question);
    const program = spawnScript(
      `const { writeInProgram } = await import(${JSON.stringify(new URL("../testing/export-program.fixture.ts", import.meta.url).pathname)});
       await writeInProgram(JSON.parse(process.argv[1]));`,
      JSON.stringify({
        target: database.target,
        files: { store: "disk", folder: folder.path },
        ref,
        chunksMax: 7,
      }),
    );
    expect(await program.nextLine()).toBe("7 chunks are written");
    await program.kill();
    expect(await get(ref)).toMatchObject({ state: "running", progress: { done: 7 } });
    const before = await fileIdsOf(ref.exportId);
    await writeTurns(deps, ref, ATTEMPT);
    expect((await fileIdsOf(ref.exportId)).slice(0, 7)).toEqual(before);
    expect(await readContent(ref)).toBe(await readContent(whole));
    const { state, progress, rows, bytes } = await get(whole);
    expect(await get(ref)).toMatchObject({ state, progress, rows, bytes });
  });

  it("lets only the later of two overlapping attempts commit", async () => {
    const ref = await begin({
      grain: "hour",
      ...range(FIRST_CHANGE_MS - DAY_MS, FIRST_CHANGE_MS),
    });
    let overtaken = false;
    const slow: FileStore = {
      ...fileStore,
      async put(fileId, content, options) {
        const stored = await fileStore.put(fileId, content, options);
        if (!overtaken) {
          overtaken = true;
          await writeTurns(deps, ref, ATTEMPT);
        }
        return stored;
      },
    };
    await writeTurns({ ...deps, fileStore: slow }, ref, ATTEMPT);
    const { progress, state } = await get(ref);
    expect(state).toBe("done");
    expect(progress.done).toBe(progress.total);
    expect((await readContent(ref)).match(/time,requests/g)?.length).toBe(1);
  });

  it("stops when it is cancelled, and leaves no bytes behind", async () => {
    const stored = await countStored();
    const ref = await begin({
      grain: "hour",
      ...range(FIRST_CHANGE_MS - DAY_MS, FIRST_CHANGE_MS),
    });
    let puts = 0;
    const cancelling: FileStore = {
      ...fileStore,
      async put(...input) {
        puts += 1;
        if (puts === 3) {
          await cancelExport(deps, tenants.ours.context, ref);
        }
        return await fileStore.put(...input);
      },
    };
    await writeTurns({ ...deps, fileStore: cancelling }, ref, ATTEMPT);
    expect(puts).toBe(3);
    expect(await get(ref)).toMatchObject({ state: "cancelled", progress: { done: 2 } });
    expect(await countStored()).toBe(stored);
    expect(await codeOf(cancelExport(deps, tenants.ours.context, ref))).toBe("CONFLICT");
    expect(await codeOf(createDownload(deps, tenants.ours.context, ref))).toBe("CONFLICT");
  });

  it("is tried again after a temporary failure, and says why when no attempt is left", async () => {
    const ref = await begin({});
    const broken = {
      ...deps,
      fileStore: { ...fileStore, put: () => Promise.reject(new Error("no disk")) },
    };
    await expect(writeTurns(broken, ref, ATTEMPT)).rejects.toThrow("no disk");
    expect((await get(ref)).state).toBe("running");
    await writeTurns(broken, ref, { ...ATTEMPT, isLast: true });
    expect(await get(ref)).toMatchObject({
      state: "failed",
      failure: "It could not be written. Try again later.",
    });
    await deleteExport(deps, tenants.ours.context, ref);
    expect(await codeOf(get(ref))).toBe("RESOURCE_NOT_FOUND");
  });

  it("may have a chunk that takes longer than any other transaction", async () => {
    const LIMIT_MS = 1_000;
    const ref = await begin({});
    // As a pool of jobs has it, in little.
    const transact = createTransact({
      transaction: (work, options) =>
        database.sql.transaction(work, { timeoutMs: LIMIT_MS, ...options }),
    });
    const slow: FileStore = {
      ...fileStore,
      async put(fileId, content, limits) {
        async function* slowly() {
          for await (const bytes of content) {
            yield bytes;
          }
          await delay(LIMIT_MS);
        }
        return await fileStore.put(fileId, slowly(), limits);
      },
    };
    await writeTurns({ ...deps, transact, fileStore: slow }, ref, ATTEMPT);
    expect((await get(ref)).state).toBe("done");
    await deleteExport(deps, tenants.ours.context, ref);
  });

  it("leaves no bytes behind when it fails after some chunks", async () => {
    const stored = await countStored();
    const ref = await begin({
      grain: "hour",
      ...range(FIRST_CHANGE_MS - DAY_MS, FIRST_CHANGE_MS),
    });
    let puts = 0;
    const full: FileStore = {
      ...fileStore,
      put(...input) {
        puts += 1;
        return puts > 2 ? Promise.reject(new StorageFullError()) : fileStore.put(...input);
      },
    };
    await writeExport({ ...deps, fileStore: full }, ref, { ...ATTEMPT, isLast: true });
    expect(await get(ref)).toMatchObject({
      state: "failed",
      failure: "There is no room to store it.",
      progress: { done: 2 },
    });
    expect(await countStored()).toBe(stored);
    expect(await fileIdsOf(ref.exportId)).toEqual([]);
    await deleteExport(deps, tenants.ours.context, ref);
  });

  it("goes to the end of the queue after five chunks, with the chunk itself", async () => {
    const { theirs } = tenants;
    const long = await begin({
      grain: "hour",
      ...range(FIRST_CHANGE_MS - 3 * DAY_MS, FIRST_CHANGE_MS),
    });
    const short = await begin({}, { tenant: theirs });
    await writeExport(deps, long, ATTEMPT);
    expect(await get(long)).toMatchObject({ state: "running", progress: { done: 5, total: 12 } });
    expect(queued.slice(-2)).toEqual([short, long]);

    const refusing = { enqueue: () => Promise.reject(new Error("no queue")) };
    const asOnce = { ...deps, jobs: refusing };
    await expect(writeExport(asOnce, long, ATTEMPT)).rejects.toThrow("no queue");
    expect((await get(long)).progress.done).toBe(9);

    await writeExport(deps, short, ATTEMPT);
    expect((await getExport(deps, theirs.context, short)).state).toBe("done");
    await writeTurns(deps, long, ATTEMPT);
    expect((await get(long)).state).toBe("done");
    await deleteExport(deps, theirs.context, short);
  });

  it("of another tenant waits for one turn of each of the five that a tenant may have in progress", async () => {
    const { ours, theirs } = tenants;
    await database.sql`delete from exports`;
    queued.length = 0;
    const question = { grain: "hour", ...range(FIRST_CHANGE_MS - 3 * DAY_MS, FIRST_CHANGE_MS) };
    const long: Awaited<ReturnType<typeof begin>>[] = [];
    for (let number = 0; number < 5; number += 1) {
      long.push(await begin(question, { tenant: ours }));
    }
    const short = await begin({}, { tenant: theirs });
    // The queue has one worker, which takes the turns in the order in which they were added.
    for (let turn = 0; turn < 6; turn += 1) {
      await writeExport(deps, queued[turn] as typeof short, ATTEMPT);
    }
    expect((await getExport(deps, theirs.context, short)).state).toBe("done");
    const states = await Promise.all(long.map(async (one) => (await get(one)).state));
    expect(states).toEqual(Array(5).fill("running"));
    for (const ref of long) {
      await cancelExport(deps, ours.context, ref);
    }
    await deleteExport(deps, theirs.context, short);
    queued.length = 0;
  });

  it("is completed by the queue, turn after turn", async () => {
    const { target } = database;
    const { logger } = services;
    const queue = await openJobQueue({ target, logger });
    const withQueue = { ...deps, jobs: queue };
    const { context, tenantId } = tenants.ours;
    const question = { grain: "hour", ...range(FIRST_CHANGE_MS - 3 * DAY_MS, FIRST_CHANGE_MS) };
    const asked = { tenantId, name: "Usage", format: "csv", question } as const;
    const { exportId } = await createExport(withQueue, context, asked);
    const [written] = createAnalyticsJobs({
      ...withQueue,
      callsDays: 7,
      clickhouse: undefined,
      callLog: undefined,
    });
    const runner = await startJobRunner({
      target,
      logger,
      jobs: written === undefined ? [] : [written],
      pollSeconds: 1,
    });
    const ended = await pollUntil("the end", async () => {
      const found = await get({ tenantId, exportId });
      return found.state === "done" && found;
    });
    expect(ended.progress).toEqual({ done: 12, total: 12 });
    await runner.stop(5_000);
    await queue.close();
  });

  it("survives stopping its last attempt, and fails when it is not done within a day", async () => {
    const ref = await begin({
      grain: "hour",
      ...range(FIRST_CHANGE_MS - DAY_MS, FIRST_CHANGE_MS),
    });
    const stopping = new AbortController();
    let puts = 0;
    const stopped: FileStore = {
      ...fileStore,
      put(...input) {
        puts += 1;
        if (puts === 2) {
          stopping.abort();
        }
        return fileStore.put(...input);
      },
    };
    const last = { isLast: true, signal: stopping.signal };
    await expect(writeExport({ ...deps, fileStore: stopped }, ref, last)).rejects.toThrow();
    expect(await get(ref)).toMatchObject({ state: "running", progress: { done: 1 } });
    const files = await fileIdsOf(ref.exportId);
    expect((await forgetExports(deps)).failed).toBe(0);
    clock.advance(DAY_MS);
    expect((await forgetExports(deps)).failed).toBeGreaterThan(0);
    expect(await get(ref)).toMatchObject({
      state: "failed",
      failure: "It was not done within a day. Narrow the range, or try again.",
    });
    expect(await fileStore.stat(files[0] ?? "")).toBe(undefined);
    await writeExport(deps, ref, ATTEMPT);
    expect((await get(ref)).state).toBe("failed");
  });

  it("and its chunks are deleted at the same time without a deadlock", async () => {
    const ref = await begin({});
    await writeTurns(deps, ref, ATTEMPT);
    let deleting: Promise<void> | undefined;
    await services.transact.asOperator(async (tx) => {
      await lockExport(tx, ref);
      deleting = deleteExport(deps, tenants.ours.context, ref);
      await pollUntil("it waits", async () => {
        const waiting = await database.sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
      expect((await deleteExportChunks(tx, ref)).length).toBe(1);
    });
    await deleting;
    expect(await codeOf(get(ref))).toBe("RESOURCE_NOT_FOUND");
  });

  it("gives its content only to those who have its address, and only for a while", async () => {
    const ref = await begin({});
    const other = await begin({});
    await writeTurns(deps, ref, ATTEMPT);
    await writeTurns(deps, other, ATTEMPT);
    const { url, expiresAt } = await createDownload(deps, tenants.ours.context, ref);
    expect(Date.parse(expiresAt) - clock.now().getTime()).toBe(5 * 60_000);
    const asked = Object.fromEntries(new URL(url).searchParams) as {
      expires: string;
      signature: string;
    };
    const later = { ...asked, expires: String(Number(asked.expires) + 60_000) };
    const ofTheirs = { ...ref, tenantId: tenants.theirs.tenantId };
    for (const [where, with_] of [
      [other, asked],
      [ofTheirs, asked],
      [ref, later],
      [ref, { ...asked, signature: "" }],
      [ref, { ...asked, expires: "soon" }],
    ] as const) {
      expect(await codeOf(openDownload(deps, where, with_))).toBe("RESOURCE_NOT_FOUND");
    }
    await openDownload(deps, ref, asked);
    clock.advance(5 * 60_000);
    expect(await codeOf(openDownload(deps, ref, asked))).toBe("RESOURCE_NOT_FOUND");
  });

  it("shows another tenant nothing", async () => {
    const ref = await begin({});
    const { context, tenantId } = tenants.theirs;
    const asTheirs = { ...ref, tenantId };
    for (const refused of [
      () => getExport(deps, context, ref),
      () => getExport(deps, context, asTheirs),
      () => cancelExport(deps, context, asTheirs),
      () => deleteExport(deps, context, asTheirs),
      () => createDownload(deps, context, asTheirs),
      () => listExports(deps, context, { tenantId: ref.tenantId, limit: 10 }),
    ]) {
      expect(await codeOf(refused())).toBe("RESOURCE_NOT_FOUND");
    }
    expect((await listExports(deps, context, { tenantId, limit: 10 })).items).toEqual([]);
    await deleteExport(deps, tenants.ours.context, ref);
  });

  it("is 404 once its tenant is deleted, also to operators and at an address made before", async () => {
    const tenant = await createTestTenant(services, "Gone");
    const { tenantId } = tenant;
    const ref = await begin({}, { tenant });
    await writeTurns(deps, ref, ATTEMPT);
    const { url } = await createDownload(deps, tenant.context, ref);
    const asked = Object.fromEntries(new URL(url).searchParams) as {
      expires: string;
      signature: string;
    };
    await deleteTenant(services, OPERATOR_CONTEXT, { tenantId, name: "Gone" });
    for (const refused of [
      () => getExport(deps, OPERATOR_CONTEXT, ref),
      () => listExports(deps, OPERATOR_CONTEXT, { tenantId, limit: 10 }),
      () => createDownload(deps, OPERATOR_CONTEXT, ref),
      () => openDownload(deps, ref, asked),
      () => deleteExport(deps, OPERATOR_CONTEXT, ref),
    ]) {
      expect(await codeOf(refused())).toBe("RESOURCE_NOT_FOUND");
    }
  });

  it("is cancelled and deleted only by its creator and those who may change the tenant", async () => {
    const { tenantId } = tenants.ours;
    const asRole = (role: Role) => {
      const id = newUuidId("user");
      const roles = new Map([[tenantId, role]]);
      const actor = { type: "user", id, isOperator: false, roles } as const;
      return { tenantId, context: { actor, requestId: "req_test" } };
    };
    const asKey = {
      type: "key",
      id: newUuidId("key"),
      tenantId,
      scopes: ["usage:read"],
    } as const;
    const viewer = asRole("viewer");
    const ref = await begin({}, { tenant: viewer });
    for (const { context } of [
      asRole("viewer"),
      asRole("developer"),
      { context: { actor: asKey, requestId: "req_test" } },
    ]) {
      expect((await getExport(deps, context, ref)).state).toBe("waiting");
      expect(await codeOf(cancelExport(deps, context, ref))).toBe("INSUFFICIENT_SCOPE");
      expect(await codeOf(deleteExport(deps, context, ref))).toBe("INSUFFICIENT_SCOPE");
    }
    expect((await cancelExport(deps, viewer.context, ref)).state).toBe("cancelled");
    await deleteExport(deps, viewer.context, ref);

    const other = await begin({}, { tenant: viewer });
    const { context: admin } = asRole("admin");
    expect((await cancelExport(deps, admin, other)).state).toBe("cancelled");
    await deleteExport(deps, admin, other);
  });

  it("may be in progress five times for a tenant, and is created together with its job", async () => {
    const { theirs: tenant } = tenants;
    const places = [];
    for (let n = 0; n < 5; n += 1) {
      places.push(await begin({}, { tenant }));
    }
    expect(await codeOf(begin({}, { tenant }))).toBe("CONFLICT");
    expect(queued.slice(-5)).toEqual(places);
    expect(await codeOf(begin({ grain: "minute", from: "2020-01-01T00:00:00Z" }))).toBe(
      "INVALID_REQUEST",
    );
    const refusal = await refusalOf(begin({ measures: "meter:nope" }));
    expect(refusal.message).toBe('Invalid value at /question/measures: There is no meter "nope".');
    expect(refusal.errors).toMatchObject([{ pointer: "/question/measures" }]);
    expect(exportQuestion.safeParse({ limit: "5" }).success).toBe(false);
  });

  it("loses its content after a week and is deleted after a month; its files are known until then", async () => {
    const ref = await begin({});
    await writeTurns(deps, ref, ATTEMPT);
    const files = await fileIdsOf(ref.exportId);
    const known = () => services.transact.asOperator((tx) => exportFiles.findOwned(tx, files));
    expect([...(await known())]).toEqual(files);
    clock.advance(7 * DAY_MS);
    expect((await forgetExports(deps)).expired).toBeGreaterThan(0);
    expect(await get(ref)).toMatchObject({ state: "expired" });
    expect([...(await known())]).toEqual([]);
    expect(await fileStore.stat(files[0] ?? "")).toBe(undefined);
    expect(await codeOf(createDownload(deps, tenants.ours.context, ref))).toBe("CONFLICT");
    clock.advance(24 * DAY_MS);
    expect((await forgetExports(deps)).forgotten).toBeGreaterThan(0);
    expect(await codeOf(get(ref))).toBe("RESOURCE_NOT_FOUND");
  });
});

async function fileIdsOf(exportId: string): Promise<string[]> {
  const rows = await database.sql<{ file_id: string }[]>`
    select file_id from export_parts where export_id = ${exportId} order by part`;
  return rows.map((row) => row.file_id);
}
