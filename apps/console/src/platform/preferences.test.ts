// @vitest-environment jsdom
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import { afterEach, expect, it, vi } from "vitest";
import type { OwnTenant } from "./current-tenant.ts";
import { findHome, saveTheme } from "./preferences.ts";
import { fakeNetwork, makeTestPlatform, problem } from "./render-with-platform.tsx";

const OLDEST = "ten_0199f3b0c1d27a4e8f60112233445566" as OwnTenant["tenantId"];
const LATER = "ten_0199f3b0c1d27a4e8f60112233445577" as OwnTenant["tenantId"];
const userId = "usr_0199f3b0c1d27a4e8f60112233445588";
const PATH = `/tenants/${OLDEST}/documents/${ownCollection("preferences", userId)}/console`;

afterEach(() => vi.unstubAllGlobals());

it("are kept in the oldest tenant of a person, also when the tenants come in another order", () => {
  expect(findHome([{ tenantId: LATER }, { tenantId: OLDEST }])).toBe(OLDEST);
  expect(findHome([])).toBeUndefined();
});

it("lose nothing that another machine wrote since they were read", async () => {
  const puts: unknown[] = [];
  const stored = { body: { theme: "light", density: "compact" }, revision: "7" };
  fakeNetwork({
    [`GET ${PATH}`]: () => ({ ...stored, updatedAt: "2026-01-01T00:00:00.000Z" }),
    [`PUT ${PATH}`]: async (request) => {
      const put = (await request.json()) as { expectedRevision: string };
      puts.push(put);
      return put.expectedRevision === stored.revision
        ? { ...stored, revision: "8" }
        : problem(409, "CONFLICT", "It has changed.", { revision: stored.revision });
    },
  });
  const known = { body: { theme: "light" }, revision: "6" };
  const documents = await makeTestPlatform().documents();
  await saveTheme(documents, { tenantId: OLDEST, userId }, { known, theme: "dark" });
  expect(puts).toEqual([
    { body: { theme: "dark" }, expectedRevision: "6" },
    { body: { theme: "dark", density: "compact" }, expectedRevision: "7" },
  ]);
});
