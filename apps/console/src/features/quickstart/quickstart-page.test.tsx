// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { verifyTokenResponse } from "@turnpike/contract/auth";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { parseTenantSearch } from "#platform/current-tenant.ts";
import { PlatformProvider } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import {
  type FakeAnswers,
  fakeNetwork,
  makeTestPlatform,
  problem,
} from "#platform/render-with-platform.tsx";
import { makeUser } from "#platform/session/fake-session.ts";
import { VERIFIED_USER_KEY } from "#platform/verified-user.ts";
import { QuickstartPage } from "./quickstart-page.tsx";

const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566";
const AT = `/tenants/${TENANT_ID}`;
const USER_ID = "usr_0199f3b0c1d27a4e8f60112233445566";
const BEGAN = "2026-11-01T00:00:00.000Z";
const DOWN = () => problem(403, "INSUFFICIENT_SCOPE", "Not now.");

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  vi.stubGlobal("scrollTo", () => undefined);
});
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const toProgress = (finished: string[]) => ({
  ...{ collection: "progress", documentId: "quickstart", revision: "1" },
  ...{ body: { finished }, createdAt: BEGAN, updatedAt: BEGAN },
});

/** The page of a tenant without keys and calls, whose progress is remembered already. */
function openPage(answers: FakeAnswers = {}, reference: "members" | null = null): void {
  fakeNetwork({
    [`GET ${AT}/keys`]: () => ({ items: [], nextCursor: null }),
    [`GET ${AT}/documents/progress`]: () => ({
      items: [toProgress(["tenant"])],
      nextCursor: null,
    }),
    [`GET ${AT}/usage`]: () => ({ totals: {}, rows: [] }),
    [`GET ${AT}/members`]: () => ({ items: [{ userId: USER_ID }], nextCursor: null }),
    "GET /usage": () => ({ totals: {}, rows: [] }),
    "GET /plans": () => ({ items: [] }),
    "GET /meters": () => ({ items: [] }),
    "GET /page-data/landing": () => ({ samplePath: "/v1/quote" }),
    ...answers,
  });
  const plain = makeTestPlatform();
  const platform = { ...plain, config: { ...plain.config, reference } };
  platform.session.change({ user: makeUser() });
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  const verified = verifyTokenResponse.parse({
    user: {
      ...{ userId: USER_ID, email: "ada@example.com", emailVerified: true },
      ...{ name: "Ada", isOperator: false },
    },
    tenants: [
      {
        ...{ tenantId: TENANT_ID, name: "Acme", slug: "acme", role: "owner", planId: "free" },
        ...{ suspendedAt: null, logoId: null, createdAt: BEGAN },
      },
    ],
  });
  client.setQueryData(VERIFIED_USER_KEY, verified);
  const root = createRootRoute();
  const layout = createRoute({
    getParentRoute: () => root,
    id: "_app",
    validateSearch: parseTenantSearch,
  });
  const page = createRoute({
    getParentRoute: () => layout,
    path: "/quickstart",
    component: QuickstartPage,
  });
  const router = createRouter({
    routeTree: root.addChildren([layout.addChildren([page])]),
    history: createMemoryHistory({ initialEntries: ["/quickstart"] }),
  });
  render(
    <UiProvider>
      <QueryClientProvider client={client}>
        <PlatformProvider value={platform}>
          <RouterProvider router={router} />
        </PlatformProvider>
      </QueryClientProvider>
    </UiProvider>,
  );
}
/** Only ends what hangs. */
const PATIENT = { timeout: 120_000 };
const findCreate = () => screen.findByRole("button", { name: "Create key" }, PATIENT);

it("shows the second call as well, without a reload", async () => {
  let calls = 1;
  openPage({
    [`GET ${AT}/usage`]: () => ({
      totals: { requests: calls },
      rows: [
        {
          time: BEGAN,
          group: { method: "GET", route: "/quote", status: "200" },
          values: { requests: calls, latency_avg: 12 },
        },
      ],
    }),
  });
  await screen.findByText("Your first call has arrived.", undefined, PATIENT);
  calls = 2;
  await screen.findByText("2 calls have arrived.", undefined, PATIENT);
  screen.getByText("2 calls");
});

it("takes no 404 for a first call, says so, and goes on once a path was found", async () => {
  let status = "404";
  openPage({
    [`GET ${AT}/usage`]: () => ({
      totals: { requests: 1 },
      rows: [
        {
          ...{ time: BEGAN, group: { method: "GET", route: "/", status } },
          values: { requests: 1, latency_avg: 12 },
        },
      ],
    }),
  });
  await screen.findByText(/its answer is 404: the API has no such path/, undefined, PATIENT);
  screen.getByText("1 of 5 steps finished");
  status = "200";
  await screen.findByText("3 of 5 steps finished", undefined, PATIENT);
  expect(screen.queryByText(/its answer is 404/)).toBeNull();
});

it("asks for no first call before it is known whether one has arrived", async () => {
  const known = Promise.withResolvers<void>();
  openPage({
    [`GET ${AT}/usage`]: async () => {
      await known.promise;
      return {
        totals: { requests: 1 },
        rows: [
          {
            ...{ time: BEGAN, group: { method: "GET", route: "/quote", status: "200" } },
            values: { requests: 1, latency_avg: 12 },
          },
        ],
      };
    },
  });
  await screen.findByRole("status", { name: "Loading the steps" }, PATIENT);
  expect(screen.queryByText(/steps finished/)).toBeNull();
  known.resolve();
  await screen.findByText("3 of 5 steps finished", undefined, PATIENT);
});

it("shows the call to the path that a person types, and to the known one while it is no path", async () => {
  openPage({
    [`GET ${AT}/documents/progress`]: () => ({
      items: [toProgress(["tenant", "key"])],
      nextCursor: null,
    }),
  });
  const path = await screen.findByLabelText<HTMLInputElement>("Path to call", undefined, PATIENT);
  const sample = () => screen.getByRole("tabpanel").textContent;
  expect(path.value).toBe("/v1/quote");
  expect(sample()).toContain('gateway.example.com/v1/quote"');
  fireEvent.change(path, { target: { value: "/v2/harbours?near=rome" } });
  expect(sample()).toContain('gateway.example.com/v2/harbours?near=rome"');
  fireEvent.change(path, { target: { value: '"; echo' } });
  screen.getByText("Begin with a slash: /v1/cities?query=ber");
  expect(sample()).toContain('gateway.example.com/v1/quote"');
});

it("offers the calls that the document describes, and shows the one that a person chooses", async () => {
  const asked: object[] = [];
  openPage(
    {
      [`GET ${AT}/documents/progress`]: () => ({
        items: [toProgress(["tenant", "key"])],
        nextCursor: null,
      }),
      "GET /reference-calls": () => ({
        items: [
          { method: "GET", path: "/v1/quote", summary: "Get a quote" },
          { method: "POST", path: "/v1/quotes", summary: "Add a quote" },
        ],
      }),
      "GET /reference-calls/sample": ({ url }) => {
        asked.push(Object.fromEntries(new URL(url).searchParams));
        return {
          ...{ method: "POST", target: "/v1/quotes", body: '{"text":"It\'s"}' },
          headers: [{ name: "Content-Type", value: "application/json" }],
        };
      },
    },
    "members",
  );
  const choice = await screen.findByRole("combobox", { name: "Call" }, PATIENT);
  expect(choice.textContent).toBe("GET /v1/quote");
  fireEvent.click(choice);
  fireEvent.click(await screen.findByRole("option", { name: /POST \/v1\/quotes/ }, PATIENT));
  await screen.findByDisplayValue("/v1/quotes", undefined, PATIENT);
  const sample = screen.getByRole("tabpanel").textContent;
  expect(asked).toEqual([{ method: "POST", path: "/v1/quotes" }]);
  expect(sample).toContain("-X POST");
  expect(sample).toContain("-H 'Content-Type: application/json'");
  expect(sample).toContain(`{"text":"It'\\''s"}`);
});

it("offers no other call where the API has no reference", async () => {
  openPage({
    [`GET ${AT}/documents/progress`]: () => ({
      items: [toProgress(["tenant", "key"])],
      nextCursor: null,
    }),
  });
  await screen.findByLabelText("Path to call", undefined, PATIENT);
  expect(screen.queryByRole("combobox", { name: "Call" })).toBeNull();
});

it("offers to create a key once it is known that there is none", async () => {
  openPage();
  await findCreate();
  screen.getByText("1 of 5 steps finished");
});

it.each(["keys", "documents/progress"])(
  "shows no step as done or to be done before %s are there",
  async (part) => {
    openPage({ [`GET ${AT}/${part}`]: () => "never" });
    await screen.findByRole("status", { name: "Loading the steps" }, PATIENT);
    expect(screen.queryByRole("button", { name: "Create key" })).toBe(null);
    expect(screen.queryByText(/steps finished/)).toBe(null);
  },
);

it("says that it could not be looked for keys, and offers none to be created", async () => {
  let isUp = false;
  openPage({
    [`GET ${AT}/keys`]: () => (isUp ? { items: [], nextCursor: null } : DOWN()),
  });
  await screen.findByText("Your keys could not be checked.", undefined, PATIENT);
  expect(screen.queryByRole("button", { name: "Create key" })).toBe(null);
  screen.getByText("At least 1 of 5 steps finished");
  isUp = true;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await findCreate();
});

it("says that it is not known what was finished before, and counts what can be seen", async () => {
  openPage({ [`GET ${AT}/documents/progress`]: DOWN });
  await screen.findByText("Steps finished earlier could not be loaded.", undefined, PATIENT);
  screen.getByText("At least 1 of 5 steps finished");
});

it.each([`GET ${AT}/members`, "GET /plans"])(
  "says that the last step could not be looked at without %s",
  async (call) => {
    openPage({ [call]: DOWN });
    await screen.findByText("The state of this step could not be checked.", undefined, PATIENT);
    await screen.findByText("At least 1 of 5 steps finished");
  },
);
