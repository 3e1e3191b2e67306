import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { hasProgram } from "@turnpike/testkit/cluster/logged-program";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type RunningProgram, startProgram } from "@turnpike/testkit/program";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it, onTestFinished } from "vitest";

const READY_DEADLINE_MS = 600_000;

async function awaitText(cluster: RunningProgram, pattern: RegExp): Promise<string> {
  return await pollUntil(
    `the cluster says ${String(pattern)}`,
    () => pattern.exec(cluster.output())?.[1],
    READY_DEADLINE_MS,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("npm run cluster", () => {
  it("serves while a node and the primary are killed, goes on where it was, and leaves nothing running", async ({
    skip,
  }) => {
    skip(!hasProgram("haproxy"), "haproxy is not installed");
    const folder = await makeTempFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    await chmod(folder.path, 0o711);
    // All ports of the cluster are relative to one: those behind it are hoped to be free as well.
    const port = await findFreePort();
    const start = () =>
      startProgram({
        script: "tools/cluster.ts",
        args: ["--data", join(folder.path, "data"), "--port", String(port)],
        env: {},
      });
    const statusOf = async () => {
      const reply = await fetch(`http://127.0.0.1:${String(port + 1)}/`).catch(() => undefined);
      await reply?.body?.cancel();
      return reply?.status;
    };

    const first = start();
    onTestFinished(() => first.kill("SIGTERM"));
    const setup = await awaitText(first, /Setup +(\S+)/);
    const pids = [...first.output().matchAll(/\bpid (\d+)/g)].map(([, pid]) => Number(pid));
    expect(setup).toContain(`http://localhost:${String(port)}/register#setup=`);
    // HAProxy, three nodes, two servers of PostgreSQL.
    expect(pids).toHaveLength(6);
    const [, , node = 0, , primary = 0] = pids;
    process.kill(node, "SIGKILL");
    await awaitText(first, /(Node 2 ended)/);
    await pollUntil("the other nodes serve", async () => (await statusOf()) === 401);
    process.kill(primary, "SIGKILL");
    await awaitText(first, /(Its standby is the primary now)/);
    first.kill("SIGINT");
    expect(await first.ended).toMatchObject({ code: 0, stderr: "" });
    expect(pids.filter(isAlive)).toEqual([]);

    const second = start();
    onTestFinished(() => second.kill("SIGTERM"));
    const newPrimary = await awaitText(second, /Primary +PostgreSQL on port (\d+)/);
    expect(Number(newPrimary)).toBe(port + 52);
    expect(await statusOf()).toBe(401);
    const secondPids = [...second.output().matchAll(/\bpid (\d+)/g)].map(([, pid]) => Number(pid));
    second.kill("SIGINT");
    expect(await second.ended).toMatchObject({ code: 0, stderr: "" });
    expect(secondPids.filter(isAlive)).toEqual([]);
  });
});
