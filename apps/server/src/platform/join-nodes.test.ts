import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { joinNodes, type NodeDescription, type NodeMembership } from "./join-nodes.ts";

// Nodes belong to the whole database, so each case has its own.
let database: TestDatabase;
let services: TestServices;
const joined: NodeMembership[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(async () => {
  await Promise.all(joined.splice(0).map((node) => node.leave()));
  await database.close();
});

const FIRST: NodeDescription = {
  name: "web-1:3000",
  version: "1.0.0",
  fingerprint: { IDENTITY: "a", WEBHOOK: "a", "billing in turnpike.yaml": "a" },
  hashedBy: "IDENTITY",
  changeable: new Set(["billing in turnpike.yaml"]),
  mayDiffer: false,
};

async function join(own: Partial<NodeDescription> = {}): Promise<NodeMembership> {
  await using folder = await makeTempFolder();
  const deps = { ...services, folder: folder.path };
  const node = await joinNodes(deps, { ...FIRST, name: "web-2:3000", ...own });
  joined.push(node);
  return node;
}

/** Adds a node of which nothing is heard again, as of a machine that fell over so many seconds ago. */
async function addSilent(silentSeconds: number): Promise<void> {
  const { name, version, fingerprint } = FIRST;
  await database.sql`
    insert into nodes (node_id, name, version, fingerprint, started_at, seen_at)
    values ('nod_silent', ${name}, ${version}, ${database.sql.json(fingerprint)}, now(),
      now() - make_interval(secs => ${silentSeconds}))`;
}

/** Why a node that differs may not join while the other one gives signs of life. */
async function refusalOf(fingerprint: Record<string, string>): Promise<unknown> {
  await addSilent(0);
  const outcome = join({ fingerprint: { ...FIRST.fingerprint, ...fingerprint } }).catch(
    (error: unknown) => error,
  );
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  outcome.then(end, end);
  while (!isOver) {
    await database.sql`update nodes set seen_at = now() where node_id = 'nod_silent'`;
  }
  return await outcome;
}

describe("joinNodes", () => {
  it("refuses a node whose secret differs from that of one that runs, and names both", async () => {
    expect(await refusalOf({ WEBHOOK: "b" })).toMatchObject({
      code: "NODE_DIFFERS",
      message: "WEBHOOK differs from that of node web-1:3000, which runs on the same database",
      hint: expect.stringMatching(/^Set WEBHOOK to the same value on all nodes/),
    });
  });

  it("refuses another configuration, and says how to change one node after the other", async () => {
    expect(await refusalOf({ "billing in turnpike.yaml": "b" })).toMatchObject({
      message: expect.stringMatching(/^billing in turnpike\.yaml differs from that of node web-1/),
      hint: expect.stringContaining("TURNPIKE_NODES_MAY_DIFFER=true"),
    });
  });

  it("names the identity secret alone when it differs, as every hash is made with it", async () => {
    const all = { IDENTITY: "b", WEBHOOK: "b", "billing in turnpike.yaml": "b" };
    expect(await refusalOf(all)).toMatchObject({ message: expect.stringMatching(/^IDENTITY dif/) });
  });

  it("takes another configuration for a change that is rolled out, or of another version", async () => {
    await addSilent(0);
    const fingerprint = { ...FIRST.fingerprint, "billing in turnpike.yaml": "b" };
    const differing = ["billing in turnpike.yaml"];
    const allowed = await join({ fingerprint, mayDiffer: true });
    expect(allowed.others()).toEqual([{ name: "web-1:3000", version: "1.0.0", differing }]);
    const newer = await join({ fingerprint, version: "1.1.0" });
    expect(newer.others()).toHaveLength(2);
  });

  it("does not compare what the other one, of another version, does not know", async () => {
    await addSilent(0);
    await join({ fingerprint: { ...FIRST.fingerprint, NEW: "a" } });
  });

  it("waits for a node that was killed, and takes its place when it stays silent", async () => {
    await addSilent(14);
    const node = await join({ fingerprint: { ...FIRST.fingerprint, WEBHOOK: "b" } });
    expect(node.others()).toEqual([]);
  });

  it("is the same node when it is started again in the same folder", async () => {
    await using folder = await makeTempFolder();
    const deps = { ...services, folder: folder.path };
    joined.push(await joinNodes(deps, FIRST));
    const again = await joinNodes(deps, { ...FIRST, fingerprint: { WEBHOOK: "b" } });
    joined.push(again);
    expect(again.others()).toEqual([]);
  });

  it("lets nodes of one kind alone join when unlike ones start at the same time", async () => {
    const starts = Array.from({ length: 12 }, (_, index) => {
      const letter = index % 2 === 0 ? "a" : "b";
      return join({ fingerprint: { ...FIRST.fingerprint, WEBHOOK: letter } });
    });
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
    const kinds = await database.sql`select distinct fingerprint ->> 'WEBHOOK' as kind from nodes`;
    expect(kinds).toHaveLength(1);
  });

  it("leaves no trace of a node that stopped", async () => {
    const node = await join();
    expect(await services.transact.asOperator((tx) => node.hasOthers(tx))).toBe(false);
    await node.leave();
    expect(await database.sql`select 1 from nodes`).toHaveLength(0);
  });
});
