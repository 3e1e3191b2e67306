import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  findPlaces,
  findRawPlaces,
  type Kind,
  listRawPaths,
  type Place,
} from "./foreign-ids.fixture.ts";
import { type Ids, METER, MISSING_IDS, OPERATIONS } from "./good-requests.fixture.ts";
import { makeOneOfEverything, readChecksums } from "./one-of-everything.fixture.ts";

/** In every text of the other tenant, and in no text of ours. */
const CANARY = "canary-of-theirs";

/**
 * Places at which an id of nothing is no mistake: a filter finds nothing, ids of a list are answered one by one, and a document
 * of any id can be written. With these statuses, too, the answer is the one for an id that does not exist.
 */
const FINDS_NOTHING: Readonly<Record<string, readonly number[]>> = {
  "tenants.list /q": [200],
  "tenants.listAudit /entityId": [200],
  "tenants.listAudit /actorId": [200],
  "keys.list /q": [200],
  "keys.change /keyIds/*": [200],
  "calls.list /key": [200],
  "calls.list /requestId": [200],
  "usage.query /key": [200],
  "usage.queryAll /key": [200],
  "usage.queryAll /tenant": [200],
  "usage.keys /keys": [200],
  "alerts.create /query/filters/{}": [201],
  "alerts.update /query/filters/{}": [200],
  "alerts.preview /query/filters/{}": [200],
  // The sixth in progress is refused.
  "exports.create /question/{}": [202, 409],
  "documents.put /documentId": [200],
  // Of ours, which was just put.
  "documents.delete /documentId": [204],
  // A field of a form, like a role that no tenant has.
  "tenants.putMember /role": [400],
  "invitations.create /role": [400],
  "roles.delete /replacement": [400],
  // Each address has an outcome of its own.
  "invitations.createMany /role": [200],
  "notifications.list /userId": [200],
  "notifications.markAllRead /userId": [200],
  "/v1/tenants/{tenantId}/usage.csv /key": [200],
  "/v1/tenants/{tenantId}/audit/export /keyId": [200],
  "/v1/events /subject": [422],
  "/v1/usage.csv /tenant": [200],
  "/v1/usage.csv /key": [200],
};

let database: TestDatabase;
let app: TestApp;
let ours: Ids;
let theirs: Ids;
let actors: [string, string][];

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  const everything = await app.mintServiceKey(SCOPES);
  expect((await app.call(everything, "POST", "/v1/meters", METER)).status).toBe(200);
  ours = await makeOneOfEverything(app, everything, "ours");
  theirs = await makeOneOfEverything(app, everything, CANARY);
  const tenantId = ours.tenantId as TenantId;
  actors = [
    ["an owner", (await app.mintMember(tenantId, "owner")).token],
    ["a viewer", (await app.mintMember(tenantId, "viewer")).token],
    ["a key", await app.mintKey(tenantId, TENANT_KEY_SCOPES)],
  ];
});
afterAll(async () => {
  await app.close();
  await database.close();
});

/** An answer without what differs every time: ids, instants, and the id that was asked for. */
function visible(reply: ApiReply, id: string): string {
  const text = reply.text
    .replaceAll(id, "<asked>")
    .replaceAll(/\b[a-z]{3,4}_[0-9a-f]{32}/g, "<id>")
    .replaceAll(/"revision":"\d+"/g, '"revision":"<number>"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>");
  return `${String(reply.status)} ${text}`;
}

/** What belongs to no tenant. */
const SHARED = ["line", "meterId", "planId", "version", "couponId", "migrationId", "collection"];

function findLeak(reply: ApiReply, asked: string): string[] {
  const text = reply.text.replaceAll(asked, "");
  const known = Object.entries(theirs).filter(([kind]) => !SHARED.includes(kind));
  const leaked = known.filter(([, id]) => text.includes(id)).map(([kind]) => kind);
  return [...leaked, ...(text.includes(CANARY) ? ["the canary"] : [])];
}

async function send(place: Place, credential: string, id: string): Promise<ApiReply> {
  const { method, path, body, contentType } = place.toRequest(ours, id);
  if (contentType === undefined) {
    return await app.call(credential, method, path, body);
  }
  const headers = { authorization: `Bearer ${credential}`, "content-type": contentType };
  const reply = await fetch(app.url + path, { method, headers, body: JSON.stringify(body) });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: JSON.parse(text) };
}

/** One line for each way in which a caller of our tenant learns of, or reaches, a thing of theirs. */
async function findFaults(place: Place): Promise<string[]> {
  const faults: string[] = [];
  const before = await readChecksums(database, theirs.tenantId);
  const name = `${place.operation} ${place.pointer}`;
  for (const [actor, credential] of actors) {
    const id = theirs[place.kind];
    const missing = MISSING_IDS[place.kind];
    const found = await send(place, credential, id);
    const none = await send(place, credential, missing);
    const wished = [403, 404, ...(FINDS_NOTHING[name] ?? [])];
    if (!wished.includes(found.status)) {
      faults.push(`${name} by ${actor}: ${String(found.status)} ${found.text.slice(0, 200)}`);
    }
    if (visible(found, id) !== visible(none, missing)) {
      faults.push(
        `${name} by ${actor} tells that it exists:\n${visible(found, id)}\n${visible(none, missing)}`,
      );
    }
    faults.push(...findLeak(found, id).map((what) => `${name} by ${actor} shows ${what}`));
  }
  const after = await readChecksums(database, theirs.tenantId);
  const changed = [...after].filter(([table, sum]) => before.get(table) !== sum);
  faults.push(...changed.map(([table]) => `${name} changes ${table} of the other tenant`));
  return faults;
}

async function findAllFaults(places: readonly Place[]): Promise<string[]> {
  const faults: string[] = [];
  for (const place of places) {
    faults.push(...(await findFaults(place)));
  }
  return faults;
}

/** That the tenant of a path is none of the caller's is what app-authorization.test.ts shows, for every operation. */
const isTenantOfPath = ({ pointer, operation }: Place) =>
  pointer === "/tenantId" &&
  OPERATIONS.some(({ id, path }) => id === operation && path.includes("{tenantId}"));

describe("the id of another tenant's thing, wherever a request may name one", () => {
  it("is distinguished from other texts in every operation and every route", () => {
    const operations = findPlaces(OPERATIONS);
    const routes = findRawPlaces();
    expect([...operations.undecided, ...routes.undecided]).toEqual([]);
    expect(listRawPaths().length).toBeGreaterThanOrEqual(10);
    const kinds = new Set([...operations.places, ...routes.places].map(({ kind }) => kind));
    expect(Object.keys(ours).filter((kind) => !kinds.has(kind as Kind))).toEqual(SHARED);
  });

  it("is asked for, by a sentence, when an operation takes a text of which nothing is said", () => {
    const [known] = OPERATIONS;
    const input = z.strictObject({ tenantId: z.string(), gadgetId: z.string(), name: z.string() });
    const added = { ...(known ?? expect.fail()), id: "gadgets.get", path: "/gadgets", input };
    const { places, undecided } = findPlaces([added]);
    expect(places).toMatchObject([{ pointer: "/tenantId", kind: "tenantId" }]);
    expect(undecided).toEqual([expect.stringMatching(/^gadgets\.get takes \/gadgetId: say in /)]);
  });

  it("finds, changes and tells nothing in an operation", { timeout: 900_000 }, async () => {
    const places = findPlaces(OPERATIONS).places.filter((place) => !isTenantOfPath(place));
    expect(places.length).toBeGreaterThan(50);
    expect(await findAllFaults(places)).toEqual([]);
  });

  it("finds, changes and tells nothing in a route beside the contract", async () => {
    expect(await findAllFaults(findRawPlaces().places)).toEqual([]);
  });
});
