import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { usageReport } from "@turnpike/contract/usage";
import { makeProductHome, type ProductHome, type RunningServer } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeGeneratedLog } from "./replay/generated-log.fixture.ts";

const DEADLINE_MS = 300_000;
const REAL_LOG = resolve(import.meta.dirname, "../../shared/data/apache_combined.log");
/** Counted in the log itself, with awk. */
const REAL_STATUSES = new Map([
  [200, 9126],
  [206, 45],
  [301, 164],
  [304, 445],
  [403, 2],
  [404, 213],
  [416, 2],
  [500, 3],
]);
const GENERATED_LINES = 2_000;

type Rows = { group: string; calls: number }[];
const toCounts = (rows: Rows) => new Map(rows.map((row) => [Number(row.group), row.calls]));

describe("npm run replay", { timeout: DEADLINE_MS }, () => {
  let home: ProductHome;
  let temp: TempFolder;
  let server: RunningServer;
  beforeAll(async () => {
    [home, temp] = [await makeProductHome(), await makeTempFolder()];
    server = await home.startServer();
  }, DEADLINE_MS);
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await temp[Symbol.asyncDispose]();
  }, DEADLINE_MS);

  async function replay(...args: string[]) {
    const { code, stdout, stderr } = await home.run("tools/replay.ts", ...args, "--json").ended;
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  }
  async function ask(...args: string[]) {
    const { code, stdout, stderr } = await home.turnpike(...args, "--json");
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  }

  it("puts every line of a log into the ledger: client, API and command line count the same", async () => {
    const isReal = existsSync(REAL_LOG);
    const path = isReal ? REAL_LOG : join(temp.path, "generated.log");
    const expected = isReal ? REAL_STATUSES : await writeGeneratedLog(path, GENERATED_LINES);
    const lines = [...expected.values()].reduce((sum, count) => sum + count, 0);

    const report = await replay(path);
    expect(report).toMatchObject({
      lines,
      answered: lines,
      ledger: lines,
      missing: 0,
      unanswered: 0,
      cut: 0,
      otherStatus: 0,
      agrees: true,
      skipped: { count: 0 },
    });

    // The replay's tenant is the only one, so `usage` means it.
    const byCommand = await ask("usage", "--by", "status");
    expect(toCounts(byCommand.rows)).toEqual(expected);
    expect(byCommand).toMatchObject({ tenantId: report.tenantId, calls: lines });

    const { key } = await ask("service-keys", "create", "--name", "test", "--scope", "usage:read");
    const reply = await fetch(
      `http://127.0.0.1:${server.port}/v1/tenants/${report.tenantId}/usage?dimensions=status`,
      { headers: { authorization: `Bearer ${key}` } },
    );
    const byApi = usageReport.parse(await reply.json());
    const counts = byApi.rows.map((row) => [Number(row.group.status), row.values.requests]);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(expected));
    expect(byApi.totals.requests).toBe(lines);
    expect(await ask("reconcile")).toMatchObject({ drift: 0, calls: lines });
  });

  it("reports lines that cannot be sent, sends the others, and counts a second run apart", async () => {
    const path = join(temp.path, "mixed.log");
    await writeGeneratedLog(path, 30);
    await appendFile(
      path,
      'no log line\n192.0.2.1 - - [x] "CONNECT a:443 HTTP/1.1" 200 0 "-" "-"\n',
    );
    const first = await replay(path);
    expect(first).toMatchObject({ lines: 32, answered: 30, agrees: true });
    expect(first.skipped.first.map(({ line }: { line: number }) => line)).toEqual([31, 32]);
    const second = await replay(path, "--limit", "10");
    expect(second).toMatchObject({ answered: 10, ledger: 10, agrees: true });
    expect(second.tenantId).not.toBe(first.tenantId);
    expect(await ask("usage", "--tenant", first.slug)).toMatchObject({ calls: 30 });
  });

  it("ends with 2 for what it cannot understand and with 1 and a way out for what it cannot do", async () => {
    const run = (...args: string[]) => home.run("tools/replay.ts", ...args).ended;
    const log = join(temp.path, "one.log");
    await writeFile(log, '192.0.2.1 - - [x] "GET / HTTP/1.1" 200 0 "-" "-"\n');
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("one access log"),
    });
    expect(await run("/nonexistent.log")).toMatchObject({ code: 2 });
    expect(await run(log, "--concurrency", "0")).toMatchObject({ code: 2 });
    expect(await run(log, "--resume")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no replay of this log"),
    });
    expect(await run(log, "--gateway", "http://127.0.0.1:9")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("npm start"),
    });
    // The listener for people is a server without a stub.
    expect(await run(log, "--gateway", `http://127.0.0.1:${server.port}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hosts: [replay.turnpike.localhost]"),
    });
    expect(await run("--help")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage"),
    });
  });
});
