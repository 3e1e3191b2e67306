import { appendFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyBackup } from "./seal.ts";

const COMMAND_LINE = "apps/server/src/cli/main.ts";
const CALLERS = 2;

/** Calls the API through the gateway until it is asked to stop. */
function startLoad(url: string, key: string) {
  let isOver = false;
  let answered = 0;
  const call = async () => {
    while (!isOver) {
      const headers = { Authorization: `Bearer ${key}` };
      const reply = await fetch(url, { headers }).catch(() => undefined);
      await reply?.body?.cancel();
      // Refusals of the plan's rate limit are calls as well.
      answered += reply === undefined ? 0 : 1;
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, call));
  return {
    answered: () => answered,
    stop: async () => {
      isOver = true;
      await callers;
    },
  };
}

async function countCalls(home: Pick<ProductHome, "turnpike">): Promise<number> {
  const { stdout, stderr } = await home.turnpike("usage", "--tenant", "first-customer", "--json");
  expect(stderr).toBe("");
  return Number(JSON.parse(stdout).calls);
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

describe("a backup of an installation that serves", () => {
  let home: ProductHome;
  let places: TempFolder;
  let trial: { key: string; url: string };
  let folder: string;
  let count: { before: number; after: number };

  beforeAll(async () => {
    home = await makeProductHome();
    places = await makeTempFolder();
    folder = join(places.path, "backup");
    await home.startServer();
    trial = JSON.parse((await home.turnpike("try", "--json")).stdout);
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await places[Symbol.asyncDispose]();
  });

  it("that is killed leaves nothing that looks like one, and the next one is whole", async () => {
    const load = startLoad(trial.url, trial.key);
    const killed = home.run(COMMAND_LINE, "backup", folder);
    await pollUntil("the backup has begun", () => exists(`${folder}.partial/postgres`));
    killed.kill("SIGKILL");
    await killed.ended;
    expect(await exists(folder)).toBe(false);
    await expect(verifyBackup(`${folder}.partial`)).rejects.toThrow("holds no complete backup");

    const before = await countCalls(home);
    const done = await home.turnpike("backup", folder, "--json");
    count = { before, after: load.answered() + 1 };
    await load.stop();
    expect(done).toMatchObject({ code: 0 });
    expect(await readdir(places.path)).toEqual(["backup"]);
    const again = await home.turnpike("backup", folder);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("overwrites nothing") });
  });

  it("is restored into an empty place alone, where its ledger adds up and its keys work", async () => {
    const dataFolder = join(home.dataFolder, "../restored");
    await using restored = await makeProductHome({ TURNPIKE_DATA_DIR: dataFolder });
    expect(await restored.turnpike("restore", folder)).toMatchObject({ code: 0 });
    const second = await restored.turnpike("restore", folder);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("something in") });

    const server = await restored.startServer();
    const calls = await countCalls(restored);
    expect(calls).toBeGreaterThanOrEqual(count.before);
    expect(calls).toBeLessThanOrEqual(count.after);
    const url = new URL(trial.url);
    url.port = String(server.gatewayPort);
    const reply = await fetch(url, { headers: { Authorization: `Bearer ${trial.key}` } });
    expect(reply.status).toBe(200);
    expect(await restored.turnpike("reconcile")).toMatchObject({ code: 0 });
    const check = await restored.turnpike("upgrade", "--check", "--json");
    expect(JSON.parse(check.stdout)).toMatchObject({ pending: [], backup: null });
    server.kill("SIGTERM");
    await server.ended;

    const upgrade = await restored.turnpike("upgrade", "--backup", `${folder}-2`, "--json");
    expect(JSON.parse(upgrade.stdout)).toMatchObject({ pending: [], backup: null });
  });

  it("that was changed is refused, with the file that was", async () => {
    await appendFile(join(folder, "postgres/PG_VERSION"), "1");
    await expect(verifyBackup(folder)).rejects.toThrow(
      /damaged: .*postgres\/PG_VERSION is not as it was sealed/,
    );
  });
});
