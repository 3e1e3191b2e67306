import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import {
  databaseUrlOf,
  type ProductProcess,
  SHARED_SECRETS,
  startProduct,
} from "@turnpike/testkit/product-process";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const NODES = 3;
const ROUNDS = IS_SOAK ? 100 : 1;

let database: TestDatabase;
let folder: TempFolder;
let folders = 0;
const running: ProductProcess[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await makeTempFolder();
});
afterEach(async () => {
  for (const node of running.splice(0)) {
    node.kill("SIGKILL");
    await node.ended;
  }
  await database.close();
  await folder[Symbol.asyncDispose]();
});

function startNode(env: Record<string, string> = {}): ProductProcess {
  folders += 1;
  const node = startProduct({
    cwd: folder.path,
    env: {
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, `data-${String(folders)}`),
      TURNPIKE_LOG_LEVEL: "warn",
      ...SHARED_SECRETS,
      ...env,
    },
  });
  running.push(node);
  return node;
}

/** Stops nodes and returns the setup links that they printed. */
async function stop(nodes: readonly ProductProcess[]): Promise<string[]> {
  nodes.forEach((node) => {
    node.kill("SIGTERM");
  });
  const ends = await Promise.all(nodes.map((node) => node.ended));
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    nodes.map(() => ({ code: 0, stderr: "" })),
  );
  return ends.map(({ stdout }) => /#setup=([\w-]{32}) /.exec(stdout)?.[1] ?? "none");
}

async function readNodesHealth(node: ProductProcess): Promise<unknown> {
  const { console: base } = await node.ready;
  const reply = (await (await fetch(`${base}/health/ready`)).json()) as {
    parts: Record<string, unknown>;
  };
  return reply.parts["nodes"];
}

describe("nodes on one database", () => {
  it("all start when they start at once, each with the same setup link, and know of each other", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await database.sql`drop schema if exists pgboss cascade`;
      const nodes = Array.from({ length: NODES }, () => startNode());
      await Promise.all(nodes.map((node) => node.ready));
      for (const node of nodes) {
        await pollUntil("the others are known", async () => {
          const health = await readNodesHealth(node);
          return JSON.stringify(health ?? null).includes("3 nodes share this database.");
        });
      }
      const links = await stop(nodes);
      expect(links).toEqual(links.map(() => links[0]));
      expect(links[0]).toMatch(/^[\w-]{32}$/);
      expect(await database.sql`select 1 from nodes`).toHaveLength(0);
    }
  });

  it("serve on for drainSeconds after the signal, and say at once that they are not ready", async () => {
    const path = join(folder.path, "drain.yaml");
    // Longer than this takes: the case ends it.
    await writeFile(path, "listen: { drainSeconds: 300 }\n");
    const node = startNode({ TURNPIKE_CONFIG: path });
    const { console: base } = await node.ready;
    const statusOf = async (at: string) => (await fetch(base + at)).status;
    expect(await statusOf("/health/ready")).toBe(200);
    node.kill("SIGTERM");
    await pollUntil("it is not ready", async () => (await statusOf("/health/ready")) === 503);
    expect(await statusOf("/v1/plans")).toBe(200);
  });

  it("refuse one whose generated secret differs, and say which and what to do", async () => {
    const first = startNode();
    await first.ready;
    const unlike = startNode({ TURNPIKE_WEBHOOK_SECRET: "" });
    const { code, stderr, stdout } = await unlike.ended;
    expect(stderr).toMatch(
      /^turnpike: TURNPIKE_WEBHOOK_SECRET differs from that of node \S+:\d+, which runs on the same database\. Set TURNPIKE_WEBHOOK_SECRET to the same value on all nodes[^\n]*\n$/,
    );
    expect({ code, isReady: stdout.includes("is ready") }).toEqual({ code: 1, isReady: false });
    await stop([first]);
  });
});
