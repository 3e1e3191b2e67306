// @vitest-environment jsdom

import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { usageExport } from "@turnpike/contract/exports";
import { eventually } from "@turnpike/testkit/eventually";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FakeAnswers, problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import type { AnalyticsScope, TenantId } from "../analytics.queries.ts";
import { toAnalyticsView } from "../analytics-search.view-model.ts";
import type { UsageExport } from "./exports.queries.ts";
import { ExportsPanel } from "./exports-panel.tsx";

const TENANT = "ten_0199f3b0c1d27a4e8f60112233445566" as TenantId;
const PATH = `/tenants/${TENANT}/exports`;
const scope: AnalyticsScope = {
  tenantId: TENANT,
  view: toAnalyticsView({}),
  grain: "hour",
  timeZone: "UTC",
  isLive: false,
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function exportOf(overrides: Partial<UsageExport>): UsageExport {
  return usageExport.parse({
    exportId: "exp_0199f3b0c1d27a4e8f60112233445566",
    tenantId: TENANT,
    name: "By route",
    format: "csv",
    state: "running",
    question: {},
    from: "2026-11-20T00:00:00.000Z",
    to: "2026-11-21T00:00:00.000Z",
    progress: { done: 3, total: 24 },
    rows: 1_200,
    bytes: 48_000,
    failure: null,
    createdAt: "2026-11-21T00:00:00.000Z",
    createdBy: "user:usr_1",
    finishedAt: null,
    expiresAt: null,
    ...overrides,
  });
}

const OWN = { userId: "usr_1", mayEndOthers: false };

function show(items: readonly UsageExport[], more: FakeAnswers = {}, who = OWN): void {
  const answers = { [`GET ${PATH}`]: () => ({ items, nextCursor: null }), ...more };
  renderWithPlatform(<ExportsPanel scope={scope} {...who} />, answers);
}

describe("ExportsPanel", () => {
  it("shows the progress of an export, and stops it", async () => {
    const running = exportOf({});
    let isCancelled = false;
    show([running], {
      [`POST ${PATH}/${running.exportId}/cancel`]: () => {
        isCancelled = true;
        return exportOf({ state: "cancelled" });
      },
    });
    const bar = await screen.findByRole("progressbar", { name: "In progress" });
    expect(bar.getAttribute("aria-valuenow")).toBe("12.5");
    expect(bar.getAttribute("aria-valuetext")).toBe("3 of 24 chunks, 1,200 rows, 48 kB");
    await userEvent.click(screen.getByRole("button", { name: "Cancel By route" }));
    await eventually(() => expect(isCancelled).toBe(true));
  });

  it("offers the file of finished exports only, and says why one failed", async () => {
    show([
      exportOf({ exportId: "exp_1", name: "Ready one", state: "done" }),
      exportOf({ exportId: "exp_2", name: "Old one", state: "expired" }),
      exportOf({ exportId: "exp_3", name: "Bad one", state: "failed", failure: "No room." }),
    ]);
    await screen.findByRole("button", { name: "Download Ready one" });
    expect(screen.getAllByRole("button", { name: /^Download/ }).length).toBe(1);
    expect(screen.getAllByRole("button", { name: /^Delete/ }).length).toBe(3);
    screen.getByText("No room.");
  });

  it("lets only an admin end someone else's export", async () => {
    const items = [
      exportOf({ exportId: "exp_1", name: "Mine" }),
      exportOf({ exportId: "exp_2", name: "Theirs", createdBy: "user:usr_2" }),
      exportOf({ exportId: "exp_3", name: "Old", createdBy: "key:key_1", state: "done" }),
    ];
    show(items);
    await screen.findByRole("button", { name: "Cancel Mine" });
    expect(screen.getAllByRole("button", { name: /^(Cancel|Delete)/ }).length).toBe(1);
    screen.getByRole("button", { name: "Download Old" });
    cleanup();
    show(items, {}, { ...OWN, mayEndOthers: true });
    await screen.findByRole("button", { name: "Cancel Theirs" });
    expect(screen.getAllByRole("button", { name: /^(Cancel|Delete)/ }).length).toBe(3);
  });

  it("explains exports while there are none, and says when loading failed", async () => {
    show([]);
    await screen.findByText("No exports yet");
    screen.getByRole("button", { name: "Export" });
    cleanup();
    renderWithPlatform(<ExportsPanel scope={scope} {...OWN} />, {
      [`GET ${PATH}`]: () => problem(503, "DATABASE_UNAVAILABLE", "The database is away."),
    });
    await screen.findByText("The database is away.");
  });
});
