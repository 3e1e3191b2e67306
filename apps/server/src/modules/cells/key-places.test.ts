import { createHash } from "node:crypto";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { type CellDirectory, openCellDirectory } from "./cell-directory.ts";
import { DIRECTORY_CHANNEL } from "./directory.store.ts";
import { createKeyPlaces, type KeyPlaces } from "./key-places.ts";

const SECRET = "the secret that all cells of this test share";
const OWN = {
  address: "http://127.0.0.1:3001",
  consoleUrl: "https://example.com",
  gatewayUrl: "https://api.example.com",
  identity: "the secret of the nodes of one cell",
};

let shared: TestDatabase;
let eu: CellDirectory;
let us: CellDirectory;
let places: KeyPlaces;
/** How many keys each question of the cell us was about, and how many questions were under way at most. */
const questions: number[] = [];
let asking = 0;
let askingMost = 0;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

beforeAll(async () => {
  shared = await createTestDatabase();
  const target = { url: databaseUrlOf(shared) };
  eu = openCellDirectory({ target, secret: SECRET, cell: "eu" });
  us = openCellDirectory({ target, secret: SECRET, cell: "us" });
  await eu.announce(OWN);
  const counted: CellDirectory = {
    ...us,
    findPlaces: async (hashes) => {
      questions.push(hashes.length);
      asking += 1;
      askingMost = Math.max(askingMost, asking);
      try {
        return await us.findPlaces(hashes);
      } finally {
        asking -= 1;
      }
    },
  };
  places = createKeyPlaces({
    directory: counted,
    own: { ...OWN, identity: "the secret of the nodes of the other cell" },
    listen: createListen(target, DIRECTORY_CHANNEL),
    // What is remembered does not grow old by itself.
    clock: createFakeClock(),
    logger: createLogger({ level: "silent" }),
  });
  await places.start();
});
afterAll(async () => {
  await places.stop();
  await Promise.all([eu.close(), us.close()]);
  await shared.close();
});

describe("where keys of other cells live", () => {
  it("is remembered, with the address of its cell", async () => {
    const tenantId = newUuidId("tenant");
    const hash = hashOf(tenantId);
    await eu.admitKeys(tenantId, [hash]);
    expect(await places.find(hash)).toMatchObject({ tenantId, cell: "eu", address: OWN.address });
    await pollUntil("it is remembered", async () => {
      const before = questions.length;
      await places.find(hash);
      return questions.length === before;
    });
  });

  it("costs two questions at a time for a flood of invented keys", async () => {
    questions.length = 0;
    askingMost = 0;
    const flood = Array.from({ length: 1_500 }, (_, index) => hashOf(`invented ${String(index)}`));
    expect(new Set(await Promise.all(flood.map((hash) => places.find(hash))))).toEqual(
      new Set([null]),
    );
    expect(askingMost).toBeLessThanOrEqual(2);
    expect(questions.length).toBeLessThanOrEqual(50);
    await pollUntil("they are remembered", async () => {
      questions.length = 0;
      await Promise.all(flood.map((hash) => places.find(hash)));
      return questions.length === 0;
    });
  });

  it("is known of a key that was unknown a moment ago", async () => {
    const tenantId = newUuidId("tenant");
    const hash = hashOf(`late ${tenantId}`);
    expect(await places.find(hash)).toBeNull();
    await eu.admitKeys(tenantId, [hash]);
    await pollUntil("it is found", async () => (await places.find(hash)) !== null);
  });

  it("is forgotten as soon as its tenant moves", async () => {
    const tenantId = newUuidId("tenant");
    const hash = hashOf(`moving ${tenantId}`);
    await eu.admitKeys(tenantId, [hash]);
    expect(await places.find(hash)).toMatchObject({ state: "here" });
    await eu.changeTenant({ tenantId, cell: "eu", state: "moving", version: 1 });
    await pollUntil("the move is known", async () => (await places.find(hash))?.state === "moving");
  });
});
