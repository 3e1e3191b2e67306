// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { makeInsightList } from "#components/insights/insights.fixture.ts";
import { type FakeAnswers, problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import type { TenantId } from "../analytics.queries.ts";
import { makeAlert } from "./alert.fixture.ts";
import { AlertsTab } from "./alerts-tab.tsx";

const TENANT = "ten_0199f3b0c1d27a4e8f60112233445566" as TenantId;
const ALERTS = `GET /tenants/${TENANT}/alerts`;
const QUOTAS = { thresholds: [50, 90], mailRoles: ["owner"] };

afterEach(cleanup);

function open(answers: FakeAnswers, mayChange = true) {
  renderWithPlatform(
    <AlertsTab
      tenantId={TENANT}
      mayChange={mayChange}
      keyNames={new Map()}
      search={{ tab: "alerts" }}
      onSearchChange={() => undefined}
      onShowUsage={() => undefined}
    />,
    {
      [ALERTS]: () => ({ items: [] }),
      [`GET /tenants/${TENANT}/quota-alerts`]: () => QUOTAS,
      [`GET /tenants/${TENANT}/run-out-alerts`]: () => ({ days: 7, mailRoles: [] }),
      [`GET /tenants/${TENANT}/insights`]: () => makeInsightList(),
      ...answers,
    },
  );
}

describe("AlertsTab", () => {
  it("lists alerts with their rule, state and last value", async () => {
    open({ [ALERTS]: () => ({ items: [makeAlert({ phase: "firing", lastValue: 0.07 })] }) });
    const row = (await screen.findByText("Many errors")).closest("tr");
    const text = row?.textContent ?? "";
    expect(text).toContain("Error rate above 5% in 5 minutes · Environment: live");
    expect(text).toContain("Firing");
    expect(text).toContain("7%");
  });

  it("says what to do while there are no alerts, and tells viewers who can add one", async () => {
    open({});
    expect(await screen.findByText("No alerts yet")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Create alert" })).toBeTruthy();
    cleanup();
    open({}, false);
    expect(await screen.findByText(/Your role can view them/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Create alert" })).toBe(null);
    expect(
      await screen.findByText(/Notifies at 50% and 90%, by e-mail to the roles owner/),
    ).toBeTruthy();
  });

  it("says that alerts could not be loaded, and retries", async () => {
    let isBroken = true;
    open({
      [ALERTS]: () => (isBroken ? problem(503, "OVERLOADED", "Too busy.") : { items: [] }),
    });
    expect(await screen.findByText("The alerts could not be loaded.")).toBeTruthy();
    isBroken = false;
    await userEvent.click(screen.getByRole("button", { name: /again/i }));
    expect(await screen.findByText("No alerts yet")).toBeTruthy();
  });

  it("closes an unchanged form without asking, even after the list has reloaded", async () => {
    let lastValue = 0.07;
    open({ [ALERTS]: () => ({ items: [makeAlert({ lastValue })] }) });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Many errors" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Edit alert" }));
    await screen.findByRole("dialog", { name: "Edit alert" });
    lastValue = 0.09;
    window.dispatchEvent(new Event("visibilitychange"));
    await screen.findByText("9%");
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
    expect(screen.queryByText("Discard your changes?")).toBe(null);
  });

  it("saves which quota shares trigger a notification", async () => {
    const saved: unknown[] = [];
    open({
      [`PUT /tenants/${TENANT}/quota-alerts`]: async (request) => {
        const body: unknown = await request.json();
        saved.push(body);
        return QUOTAS;
      },
    });
    await userEvent.click(await screen.findByRole("checkbox", { name: "75%" }));
    const form = within(screen.getByRole("region", { name: "Quotas" }));
    await userEvent.click(form.getByRole("button", { name: "Save" }));
    expect(saved).toEqual([{ thresholds: [50, 75, 90], mailRoles: ["owner"] }]);
  });

  it("saves how long before something runs out it notifies", async () => {
    const sent: unknown[] = [];
    open({
      [ALERTS]: () => ({ items: [] }),
      [`PUT /tenants/${TENANT}/run-out-alerts`]: async (request) => {
        sent.push(await request.json());
        return { days: null, mailRoles: [] };
      },
    });
    const card = within(await screen.findByRole("region", { name: "What will run out" }));
    await userEvent.click(await card.findByRole("checkbox", { name: "Notify before it runs out" }));
    await userEvent.click(card.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toEqual([{ days: null, mailRoles: [] }]));
  });
});
