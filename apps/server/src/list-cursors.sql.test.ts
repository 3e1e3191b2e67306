import { SCOPES } from "@turnpike/domain/access/scopes";
import { type IdKind, toId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildOpenApiDocument } from "#http/openapi/openapi-document.ts";

const { paths } = await buildOpenApiDocument({ consoleUrl: "http://console.test", version: "1" });

/** Every list that has pages, as the API itself describes them. */
const lists = Object.entries(paths)
  .filter(([, { get }]) =>
    get?.parameters?.some((parameter) => "name" in parameter && parameter.name === "cursor"),
  )
  .map(([path]) => path);

const someId = (kind: IdKind) => toId(kind, "0199f3b0-c1d2-7a4e-8f60-112233445566");

let database: TestDatabase;
let app: TestApp;
let operator: string;
let names: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(SCOPES);
  names = {
    tenantId: await app.mintTenant("Acme"),
    collection: "settings",
    webhookId: someId("webhook"),
    alertId: someId("alert"),
    planId: "pro",
    invoiceId: "upcoming",
    line: "1",
  };
});
afterAll(async () => {
  await app.close();
  await database.close();
});

/** What lists require beside the cursor. */
const REQUIRED: Readonly<Record<string, string>> = {
  "/revenue/customers": "&month=2026-06&currency=USD",
  "/revenue/usage": "&month=2026-06&currency=USD",
  "/tax-report/documents": "&period=2026-06&currency=USD&country=DE&category=S&rate=19",
};

describe("a list that is paged", () => {
  it("is one of all those that the API has", () => {
    expect(lists.length).toBeGreaterThan(12);
    expect(lists).toEqual(
      expect.arrayContaining(["/tenants", "/tenants/{tenantId}/keys", "/rejected-events"]),
    );
  });

  it.each(lists)("refuses at %s what is no place in it, instead of ending early", async (path) => {
    const required = REQUIRED[path] ?? "";
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name);
    // Clients choose the ids of documents: one may look like the id of anything else.
    const others = path.includes("/documents/") ? [] : [someId("lease"), `${someId("tenant")}x`];
    for (const cursor of ["Not%20one", "", "%2F", ...others]) {
      const reply = await app.call(operator, "GET", `/v1${address}?cursor=${cursor}${required}`);
      expect(reply, cursor).toMatchObject({
        status: 400,
        json: {
          code: "INVALID_REQUEST",
          errors: [{ pointer: "/cursor", message: "Not a cursor of this list." }],
        },
      });
    }
  });
});
