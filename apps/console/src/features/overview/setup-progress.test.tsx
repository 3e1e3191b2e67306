// @vitest-environment jsdom
import { useQuery } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { progressQuery } from "#platform/quickstart-progress.ts";
import { renderWithPlatform } from "#platform/render-with-platform.tsx";
import { SetupProgress } from "./setup-progress.tsx";

const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566" as OwnTenant["tenantId"];
const PROGRESS = `GET /tenants/${TENANT_ID}/documents/progress`;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function toProgress(finished: readonly string[]) {
  const document = { collection: "progress", documentId: "quickstart", revision: "1" };
  const times = {
    createdAt: "2026-11-01T00:00:00.000Z",
    updatedAt: "2026-11-01T00:00:00.000Z",
  };
  return { items: [{ ...document, ...times, body: { finished } }], nextCursor: null };
}

function Answered() {
  const { data } = useQuery(progressQuery(usePlatform().api, TENANT_ID));
  return data === undefined ? null : <p>The progress is known</p>;
}

/** Opens the card, and waits for the answer to what it asks. */
async function open(
  hasCalls: boolean | undefined,
  finished: readonly string[],
  createdAt = "2020-01-01T00:00:00.000Z",
): Promise<void> {
  const root = createRootRoute({
    component: () => (
      <>
        <SetupProgress tenantId={TENANT_ID} createdAt={createdAt} hasCalls={hasCalls} />
        <Answered />
      </>
    ),
  });
  const history = createMemoryHistory({ initialEntries: ["/"] });
  const router = createRouter({ routeTree: root, history });
  renderWithPlatform(<RouterProvider router={router} />, {
    [PROGRESS]: () => toProgress(finished),
  });
  await screen.findByText("The progress is known");
}

it.each([
  { why: "a new tenant", hasCalls: false, finished: [], text: "1 of 5 steps" },
  {
    why: "a tenant on its way",
    hasCalls: false,
    finished: ["tenant", "key"],
    text: "2 of 5 steps",
  },
  {
    why: "a tenant whose calls came after it left the quickstart",
    hasCalls: true,
    finished: ["tenant"],
    text: "4 of 5 steps",
  },
])("shows how far $why has come", async ({ hasCalls, finished, text }) => {
  await open(hasCalls, finished);
  await screen.findByText(text);
});

const ALL = ["tenant", "key", "call", "arrival", "next"];

it.each([
  { why: "while it is not known whether there are calls", hasCalls: undefined, finished: [] },
  { why: "to a tenant that calls without the quickstart", hasCalls: true, finished: [] },
  { why: "once everything is finished", hasCalls: true, finished: ALL },
  { why: "once everything was finished, without calls lately", hasCalls: false, finished: ALL },
])("shows nothing $why", async ({ hasCalls, finished }) => {
  await open(hasCalls, finished);
  expect(screen.queryByText("Finish setting up")).toBe(null);
});

it("keeps its room for a new tenant while it is not known whether there are calls", async () => {
  await open(undefined, [], new Date().toISOString());
  screen.getByRole("status", { name: "Loading the progress of the setup" });
});
