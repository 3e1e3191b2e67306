// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { makeUsageReport } from "#platform/usage-report.fixture.ts";
import { makeVerified, NOTHING, openTenants, stubWindow } from "../../open-tenants.fixture.tsx";
import { makeTenant, pageOf } from "../../tenant-answers.fixture.ts";

beforeEach(stubWindow);
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const verified = { ...makeVerified({ isOperator: true }), tenants: [] };
const toCheck = (id: string, state: string, advice: string | null) => ({
  ...{
    id,
    title: `Title of ${id}`,
    state,
    seen: `Seen of ${id}.`,
    advice,
    docs: "operations#backup",
  },
});
const ANSWERS: FakeAnswers = {
  "GET /checks": () => ({
    checkedAt: new Date().toISOString(),
    version: "1",
    configFile: "/srv/maps/turnpike.yaml",
    checks: [
      toCheck("mail", "failed", "Correct mail.smtp."),
      toCheck("disk", "ok", null),
      toCheck("brand", "ok", null),
      toCheck("plans", "ok", null),
    ],
  }),
  "GET /usage": () => makeUsageReport({ totals: { requests: 0, errors: 0, denied: 0 } }),
  "GET /tenants": () => NOTHING,
  "GET /revenue": () => ({ asOf: "2026-11-21T12:00:00.000Z", currencies: [] }),
  "GET /health/ready": () => ({ status: "ready", parts: { upstreams: { status: "ok" } } }),
};

it("leads an operator without a tenant from the demo API to the first call", async () => {
  openTenants({ path: "/operator", verified, isDemo: true, answers: ANSWERS });
  const card = await screen.findByRole("region", { name: "Set up your installation" });
  within(card).getByText("2 of 5 done");
  const current = within(card).getByRole("listitem", { current: "step" });
  within(current).getByText(/Calls are answered by a small demo API/);
  // Without it the gateway refuses the test keys that customers can make.
  expect(current.textContent).toContain("testUrl: same");
  within(card).getByRole("button", { name: "Create tenant" });
  await screen.findByText("Everything is working.");
  await screen.findByText(/None yet/);
});

it("keeps the room of the setup while its steps are not known, as long as the demo API answers", async () => {
  const known = Promise.withResolvers<void>();
  openTenants({
    path: "/operator",
    verified,
    isDemo: true,
    answers: {
      ...ANSWERS,
      "GET /tenants": async () => {
        await known.promise;
        return NOTHING;
      },
    },
  });
  await screen.findByRole("status", { name: "Loading the setup" });
  known.resolve();
  await screen.findByRole("region", { name: "Set up your installation" });
  expect(screen.queryByRole("status", { name: "Loading the setup" })).toBeNull();
});

it("keeps the way to a silent API open, and shows revenue and what is overdue", async () => {
  const detail = "No answer from api: calls get 502 or 504 and are not billed.";
  const parts = { upstreams: { status: "degraded", detail } };
  const overdue = { count: 1, due: "20.00", ages: [] };
  const usd = { currency: "USD", mrr: "1204.50", customers: 3, months: [], overdue };
  openTenants({
    path: "/operator",
    verified,
    answers: {
      ...ANSWERS,
      "GET /usage": () => makeUsageReport({ totals: { requests: 9, errors: 0, denied: 0 } }),
      "GET /tenants": () => pageOf(makeTenant()),
      "GET /revenue": () => ({ asOf: "2026-11-21T12:00:00.000Z", currencies: [usd] }),
      "GET /health/ready": () => ({ status: "degraded", parts }),
    },
  });
  const card = await screen.findByRole("region", { name: "Set up your installation" });
  within(card).getByText(detail);
  within(card).getByText("4 of 5 done");
  await screen.findByText("$1,204.50");
  await screen.findByText("$20.00 overdue on 1 invoice");
});

it("counts the samples as no plans of the operator, and says where the name goes", async () => {
  openTenants({
    path: "/operator",
    verified,
    answers: {
      ...ANSWERS,
      "GET /checks": () => ({
        checkedAt: new Date().toISOString(),
        version: "1",
        configFile: "/srv/maps/turnpike.yaml",
        checks: [
          toCheck("brand", "warning", "Write brand.name."),
          toCheck("plans", "warning", "Edit them on the page Plans."),
        ],
      }),
    },
  });
  const card = await screen.findByRole("region", { name: "Set up your installation" });
  within(card).getByText("1 of 5 done");
  within(card).getByText("/srv/maps/turnpike.yaml");
  expect(card.textContent).toContain("name: Acme Maps");
  within(card).getByText("Seen of plans. Edit them on the page Plans.");
});

it("has no steps once everything is done", async () => {
  openTenants({
    path: "/operator",
    verified,
    answers: {
      ...ANSWERS,
      "GET /usage": () => makeUsageReport({ totals: { requests: 9, errors: 0, denied: 0 } }),
      "GET /tenants": () => pageOf(makeTenant()),
    },
  });
  await screen.findByText("Everything is working.");
  await screen.findByText(/None yet/);
  await waitFor(() =>
    expect(screen.queryByRole("region", { name: "Set up your installation" })).toBe(null),
  );
});

it("lists what is to do before going live, and the rest when asked", async () => {
  openTenants({ path: "/operator", verified, answers: ANSWERS });
  const card = await screen.findByRole("region", { name: "Before going live" });
  await within(card).findByText(/3 of 4 OK/);
  within(card).getByText("Correct mail.smtp.");
  expect(within(card).queryByText("Title of disk")).toBeNull();
  fireEvent.click(within(card).getByRole("button", { name: "Show the 3 that are OK" }));
  within(card).getByText("Title of disk");
});
