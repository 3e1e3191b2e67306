// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OwnTenant } from "./current-tenant.ts";
import { fakeNetwork, makeTestPlatform, problem } from "./render-with-platform.tsx";
import { savedViewsQuery } from "./saved-views.ts";

const tenantId = "ten_0199f3b0c1d27a4e8f60112233445566" as OwnTenant["tenantId"];
const userId = "usr_0199f3b0c1d27a4e8f60112233445566";
const PAGE = 100;

afterEach(() => vi.unstubAllGlobals());

type Body = Record<string, unknown>;

/** Collections that hold these documents, and what the console makes of them. */
async function read(held: { shared: Map<string, Body>; own: Map<string, Body> }) {
  const asked: string[] = [];
  const toDocument = (collection: string, [documentId, body]: readonly [string, Body]) => ({
    tenantId,
    collection,
    documentId,
    revision: "1",
    body,
    updatedAt: "2026-11-21T00:00:00.000Z",
  });
  const collections = [
    ["analytics-views", held.shared],
    [ownCollection("analytics-views", userId), held.own],
  ] as const;
  fakeNetwork(
    Object.fromEntries(
      collections.flatMap(([collection, documents]) => {
        const path = `GET /tenants/${tenantId}/documents/${collection}`;
        const list = (request: Request) => {
          const after = new URL(request.url).searchParams.get("cursor") ?? "";
          asked.push(`${collection} ${after}`);
          const rest = [...documents].toSorted().filter(([id]) => id > after);
          const items = rest.slice(0, PAGE).map((one) => toDocument(collection, one));
          return {
            items,
            nextCursor: rest.length > PAGE ? (items.at(-1)?.documentId ?? null) : null,
          };
        };
        const chosen = documents.get("default");
        const get = () =>
          chosen === undefined
            ? problem(404, "RESOURCE_NOT_FOUND", "There is no such document.")
            : toDocument(collection, ["default", chosen]);
        return [
          [path, list],
          [`${path}/default`, get],
        ];
      }),
    ),
  );
  const { api } = makeTestPlatform();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return { asked, ...(await client.fetchQuery(savedViewsQuery(api, { tenantId, userId }))) };
}

function viewsNamed(prefix: string, count: number): Map<string, Body> {
  return new Map(
    Array.from({ length: count }, (_, n) => [
      `${prefix}-${String(n).padStart(4, "0")}`,
      { name: `${prefix} ${String(n)}`, search: {} },
    ]),
  );
}

describe("savedViewsQuery", () => {
  it("has every view of both collections, however many pages there are", async () => {
    const own = viewsNamed("mine", 130).set("default", { view: "shared-0249" });
    const { views, defaultId } = await read({ shared: viewsNamed("shared", 250), own });
    expect(views.filter(({ isShared }) => isShared).length).toBe(250);
    expect(views.filter(({ isShared }) => !isShared).length).toBe(130);
    expect(defaultId).toBe("shared-0249");
  });

  it("ends after a thousand, and finds the view to begin with all the same", async () => {
    const crowd = viewsNamed("crowd", 1_001);
    const chosen = new Map(crowd).set("default", { view: "crowd-0007" });
    const { views, defaultId, asked } = await read({ shared: new Map(), own: chosen });
    expect(views.length).toBe(1_000);
    expect(asked.length).toBe(11);
    expect(defaultId).toBe("crowd-0007");
    expect((await read({ shared: new Map(), own: crowd })).defaultId).toBe(undefined);
  });
});
