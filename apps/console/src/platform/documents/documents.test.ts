import type { Body } from "@turnpike/domain/documents/merge-documents";
import { describe, expect, it } from "vitest";
import type { OwnTenant } from "../current-tenant.ts";
import { RequestError } from "../error-message.ts";
import type { DocumentsApi } from "./document-edit.ts";
import { createDocuments } from "./documents.ts";
import { makeWaitingEdits } from "./waiting-edits.fixture.ts";

const PLACE = {
  tenantId: "ten_0199f3b0c1d27a4e8f60112233445566" as OwnTenant["tenantId"],
  collection: "analytics-views",
  documentId: "v",
} as const;
const ADA = "usr_0199f3b0c1d27a4e8f60112233445588";
const BOB = "usr_0199f3b0c1d27a4e8f60112233445599";

const answer = (status: number, body: object) =>
  new RequestError("refused", { status, data: { body } });

/** The service's promises about one document: revisions that grow, and no write over an unseen one. */
function makeService() {
  const held = { body: null as Body, revision: 0, at: 0 };
  let isReachable = true;
  const reach = () => {
    if (!isReachable) {
      throw new RequestError("No network.", new TypeError("fetch failed"));
    }
  };
  const guard = (expected: string) => {
    const revision = held.body === null ? "0" : String(held.revision);
    if (expected !== revision) {
      throw answer(409, { code: "CONFLICT", revision });
    }
  };
  const store = (body: Body, at: number) =>
    Object.assign(held, { body, revision: held.revision + 1, at });
  const clock = { at: 1_000 };
  const api: DocumentsApi = {
    get: async () => {
      reach();
      if (held.body === null) {
        throw answer(404, { code: "RESOURCE_NOT_FOUND" });
      }
      const updatedAt = new Date(held.at).toISOString();
      return { body: held.body, revision: String(held.revision), updatedAt };
    },
    put: async (input) => {
      reach();
      guard(input.expectedRevision);
      if ("forbidden" in input.body) {
        throw answer(403, { code: "INSUFFICIENT_SCOPE" });
      }
      store(input.body, clock.at);
      return { revision: String(held.revision) };
    },
    delete: async (input) => {
      reach();
      guard(input.query.expectedRevision);
      store(null, clock.at);
    },
  };
  return {
    api,
    held,
    clock,
    setReachable: (value: boolean) => {
      isReachable = value;
    },
  };
}

function openTab(service: ReturnType<typeof makeService>, waiting = makeWaitingEdits()) {
  const told: string[] = [];
  const documents = createDocuments({
    api: service.api,
    waiting,
    channel: { postMessage: (text) => told.push(String(text)), addEventListener: () => undefined },
    inTurn: (_name, task) => task(),
    now: () => service.clock.at,
  });
  const write = (base: Body, baseRevision: string | undefined, mine: Body, userId = ADA) =>
    documents.write(userId, { ...PLACE, base, baseRevision, mine });
  return { ...documents, write, told };
}

describe("createDocuments", () => {
  it("sends at once what the network lets through, and tells the other tabs", async () => {
    const service = makeService();
    const tab = openTab(service);
    expect(await tab.write(null, "0", { name: "A" })).toMatchObject({ state: "sent" });
    expect(service.held.body).toEqual({ name: "A" });
    expect(tab.told).toEqual(["changed"]);
  });

  it("keeps what was done without a network, and merges it by field when it is back", async () => {
    const service = makeService();
    const browser = makeWaitingEdits();
    const away = openTab(service, browser);
    await away.write(null, "0", { name: "A", from: 1 });
    service.setReachable(false);
    const before = { name: "A", from: 1 };
    expect(await away.write(before, "1", { name: "B", from: 1 })).toEqual({ state: "waits" });
    // A second edit of the same document is part of the first: it was made from what the first one wrote.
    await away.write({ name: "B", from: 1 }, "1", { name: "B", from: 1, to: 9 });
    expect(await away.count(ADA)).toBe(1);
    expect(await away.deliver(ADA)).toMatchObject({ sent: 0, waiting: 1 });

    service.setReachable(true);
    await openTab(service).write(before, "1", { name: "A", from: 2 });
    // After a reload, by any tab.
    const delivery = await openTab(service, browser).deliver(ADA);
    expect(delivery).toEqual({ sent: 1, conflicts: [], refused: [], waiting: 0 });
    expect(service.held.body).toEqual({ name: "B", from: 2, to: 9 });
    expect(await away.count(ADA)).toBe(0);
  });

  it("keeps the newer of two values, and says what it dropped", async () => {
    for (const [editedAt, kept, dropped] of [
      [2_000, "theirs", "mine"],
      [4_000, "mine", "theirs"],
    ] as const) {
      const service = makeService();
      const tab = openTab(service);
      await tab.write(null, "0", { name: "A" });
      service.setReachable(false);
      service.clock.at = editedAt;
      await tab.write({ name: "A" }, "1", { name: "mine" });
      service.setReachable(true);
      service.clock.at = 3_000;
      await openTab(service).write({ name: "A" }, "1", { name: "theirs" });
      const { conflicts } = await tab.deliver(ADA);
      expect(conflicts).toEqual([{ path: ["name"], kept, dropped }]);
      expect(service.held.body).toEqual({ name: kept });
    }
  });

  it("deletes what no one changed meanwhile, and keeps what someone did", async () => {
    const service = makeService();
    const tab = openTab(service);
    await tab.write(null, "0", { name: "A" });
    service.setReachable(false);
    await tab.write({ name: "A" }, "1", null);
    service.setReachable(true);
    await openTab(service).write({ name: "A" }, "1", { name: "B" });
    expect(await tab.deliver(ADA)).toMatchObject({ sent: 1, waiting: 0 });
    expect(service.held.body).toEqual({ name: "B" });
    await tab.write({ name: "B" }, "2", null);
    expect(service.held.body).toBeNull();
    // Deleted twice is deleted.
    expect(await tab.write({ name: "B" }, "2", null)).toMatchObject({ state: "sent" });
  });

  it("forgets what was made and taken back without a network", async () => {
    const service = makeService();
    const tab = openTab(service);
    service.setReachable(false);
    await tab.write(null, "0", { name: "A" });
    await tab.write({ name: "A" }, "0", null);
    expect(await tab.count(ADA)).toBe(0);
  });

  it("shows no one the edits of someone else, and keeps them for their return", async () => {
    const service = makeService();
    const browser = makeWaitingEdits();
    service.setReachable(false);
    await openTab(service, browser).write(null, "0", { name: "Ada's" });
    service.setReachable(true);
    const tab = openTab(service, browser);
    expect(await tab.count(BOB)).toBe(0);
    expect(await tab.deliver(BOB)).toMatchObject({ sent: 0 });
    expect(service.held.body).toBeNull();
    expect(await tab.deliver(ADA)).toMatchObject({ sent: 1 });
    expect(service.held.body).toEqual({ name: "Ada's" });
  });

  it("names what the service refuses for good, and goes on", async () => {
    const service = makeService();
    const tab = openTab(service);
    service.setReachable(false);
    await tab.write(null, undefined, { forbidden: true });
    service.setReachable(true);
    const { refused, waiting } = await tab.deliver(ADA);
    expect(refused.map(({ cause }) => (cause as RequestError).code)).toEqual([
      "INSUFFICIENT_SCOPE",
    ]);
    expect(waiting).toBe(0);
    await expect(tab.write(null, "0", { forbidden: true })).rejects.toThrow(RequestError);
  });
});
