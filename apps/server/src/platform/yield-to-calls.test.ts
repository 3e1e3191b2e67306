import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { connect } from "@turnpike/db/client";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { NICENESS } from "./yield-to-calls.ts";

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function groupNiceOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${String(pid)}/autogroup`, "utf8");
  return Number(/nice (-?\d+)/.exec(text)?.[1]);
}

describe("a database beside calls", () => {
  it("yields to them with the sessions that it opens later, also where each is a scheduling group of its own", async () => {
    const folder = await makeTempFolder();
    onTestFinished(async () => folder[Symbol.asyncDispose]());
    const server = await startEmbeddedPostgres({ folder: folder.path, logger: QUIET });
    onTestFinished(async () => server.stop());
    const sql = connect(server.connection, {
      connectionsMax: 1,
      applicationName: "test",
      statementTimeoutMs: 10_000,
    });
    onTestFinished(async () => sql.end({ timeout: 1 }));
    const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = session?.pid ?? 0;
    expect([getPriority(server.pid), getPriority(pid)]).toEqual([NICENESS, NICENESS]);
    // Not every system groups processes by session.
    if (existsSync(`/proc/${String(pid)}/autogroup`)) {
      for (const one of [server.pid, pid]) {
        await pollUntil("its group yields", async () => (await groupNiceOf(one)) === NICENESS);
      }
    }
  });

  it("has the company of threads that yield as well, and leave the one that serves alone", async () => {
    const before = getPriority();
    const module = JSON.stringify(new URL("yield-to-calls.ts", import.meta.url).href);
    const thread = new Worker(
      `import { readlinkSync } from "node:fs";
      import { getPriority } from "node:os";
      import { basename } from "node:path";
      import { parentPort } from "node:worker_threads";
      import { yieldThreadToCalls } from ${module};
      yieldThreadToCalls();
      const thread = process.platform === "linux" ? Number(basename(readlinkSync("/proc/thread-self"))) : 0;
      parentPort.postMessage({ thread, priority: getPriority(thread) });`,
      { eval: true },
    );
    const [told]: { thread: number; priority: number }[] = await once(thread, "message");
    const isLinux = process.platform === "linux";
    expect(told?.priority).toBe(isLinux ? NICENESS : before);
    expect(getPriority()).toBe(before);
    expect(told?.thread).not.toBe(process.pid);
  });
});
