import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  REPLAY_HOST,
  type ReplayStub,
  startReplayStub,
} from "../apps/server/src/platform/replay-stub.ts";
import { writeGeneratedLog } from "./replay/generated-log.fixture.ts";

const DEADLINE_MS = 3_600_000;
const LINES = 60_000;
/** Enough that calls go on for as long as the database is frozen. */
const LINES_WHILE_FROZEN = 250_000;
const KILLS = 6;
const DATABASE_STOP_MS = 20_000;
/**
 * A group is filled for 50 ms. Its timer comes late on a busy machine, and answers may then wait in sockets before they
 * are counted: what was answered within this time before the kill is the most that may be lost.
 */
const GROUP_MS_MAX = 1_000;
const SAMPLE_MS = 5;

/** Remembers how many calls the stub had answered when, so that a kill can be bounded afterwards. */
function watchAnswers(stub: ReplayStub) {
  const samples: { atMs: number; answered: number }[] = [];
  const timer = setInterval(() => {
    samples.push({ atMs: performance.now(), answered: stub.answered() });
  }, SAMPLE_MS);
  return {
    answeredInLast: (ms: number) => {
      const sinceMs = performance.now() - ms;
      const before = samples.findLast((sample) => sample.atMs <= sinceMs);
      return stub.answered() - (before?.answered ?? 0);
    },
    stop: () => clearInterval(timer),
  };
}

/** The database's server process and all its children. */
async function listDatabaseProcesses(pid: number): Promise<number[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const children = await Promise.all(
    names.map(async (name) => {
      const status = await readFile(`/proc/${name}/status`, "utf8").catch(() => "");
      return new RegExp(`^PPid:\\s*${pid}$`, "m").test(status) ? Number(name) : undefined;
    }),
  );
  return [pid, ...children.filter((child) => child !== undefined)];
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A backend may have ended by itself in between.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
        throw error;
      }
    }
  }
}

describe("a replay through faults", { timeout: DEADLINE_MS }, () => {
  let temp: TempFolder;
  let home: ProductHome;
  let stub: ReplayStub;
  let log: string;

  beforeEach(async () => {
    temp = await makeTempFolder();
    // Outside of the product, so that it survives with its count of what really arrived.
    stub = await startReplayStub({ port: 0, host: "127.0.0.1" });
    const config = join(temp.path, "turnpike.yaml");
    await writeFile(
      config,
      `upstreams:\n  - name: replay-stub\n    url: http://127.0.0.1:${stub.port}\n    hosts: [${REPLAY_HOST}]\n`,
    );
    home = await makeProductHome({ TURNPIKE_CONFIG: config });
    log = join(temp.path, "access.log");
  }, DEADLINE_MS);
  afterEach(async () => {
    await home[Symbol.asyncDispose]();
    await stub.close();
    await temp[Symbol.asyncDispose]();
  }, DEADLINE_MS);

  const runReplay = (...args: string[]) => home.run("tools/replay.ts", log, "--json", ...args);
  const untilAnswered = (calls: number) =>
    pollUntil(`${calls} calls are answered`, () => stub.answered() >= calls, DEADLINE_MS);
  async function reconcile() {
    const { stdout } = await home.turnpike("reconcile", "--json");
    return JSON.parse(stdout);
  }

  it("after kill -9 of the server loses at most the group being filled, and counts nothing twice", async () => {
    const byStatus = await writeGeneratedLog(log, LINES);
    const answers = watchAnswers(stub);
    let server = await home.startServer();
    let lostMax = 0;
    let replay = runReplay("--wait", "1");
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await untilAnswered(Math.floor((LINES * kill) / (KILLS + 2)));
      lostMax += answers.answeredInLast(GROUP_MS_MAX);
      server.kill("SIGKILL");
      await server.ended;
      const stopped = await replay.ended;
      expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining("--resume") });
      server = await home.startServer();
      replay = runReplay("--resume", "--wait", "1");
    }
    const { stdout, stderr } = await replay.ended;
    answers.stop();
    expect(stdout, stderr).not.toBe("");
    const report = JSON.parse(stdout);

    expect(report).toMatchObject({ answered: LINES, otherStatus: 0 });
    expect(
      new Map(
        report.byStatus.map((row: { status: number; client: number }) => [row.status, row.client]),
      ),
    ).toEqual(byStatus);
    expect(report.missing).toBeLessThanOrEqual(lostMax);
    // Beyond the answers there can only be calls whose answer the kill cut off, and every one of them reached the stub.
    expect(-report.missing).toBeLessThanOrEqual(report.unanswered);
    expect(report.ledger).toBeLessThanOrEqual(stub.answered());
    expect(report.unanswered).toBeLessThanOrEqual(KILLS * 16 * 2);
    expect(await reconcile()).toMatchObject({ drift: 0, calls: report.ledger });
  });

  it("with the database frozen, then killed, under load loses nothing", async () => {
    const lines = LINES_WHILE_FROZEN;
    const byStatus = await writeGeneratedLog(log, lines);
    await home.startServer();
    const replay = runReplay("--wait", "60");
    await untilAnswered(Math.floor(lines / 10));

    const frozen = await listDatabaseProcesses(await home.readDatabasePid());
    const before = stub.answered();
    signalAll(frozen, "SIGSTOP");
    const thawAtMs = performance.now() + DATABASE_STOP_MS;
    // Calls go on without the database: what they used waits in the journal.
    await pollUntil(
      "calls are answered without the database",
      () =>
        stub.answered() - before > 100 &&
        (performance.now() >= thawAtMs || stub.answered() >= lines * 0.6),
      DEADLINE_MS,
    );
    signalAll(frozen, "SIGCONT");

    await untilAnswered(Math.floor(lines * 0.7));
    signalAll([await home.readDatabasePid()], "SIGKILL");
    const { code, stdout, stderr } = await replay.ended;
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      answered: lines,
      ledger: lines,
      missing: 0,
      unanswered: 0,
      agrees: true,
    });
    expect(
      new Map(
        report.byStatus.map((row: { status: number; ledger: number }) => [row.status, row.ledger]),
      ),
    ).toEqual(byStatus);
    expect(await reconcile()).toMatchObject({ drift: 0, calls: lines });
  });
});
