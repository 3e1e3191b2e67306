// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { Role } from "@turnpike/domain/access/scopes";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import {
  INSIGHT_ID,
  makeEvidence,
  makeInsight,
  makeInsightList,
} from "#components/insights/insights.fixture.ts";
import { TenantGate } from "#components/tenant-gate.tsx";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { makeUsageReport } from "#platform/usage-report.fixture.ts";
import { InsightFeed } from "./insight-feed.tsx";

const AT = `/tenants/${TENANT_ID}`;
const KEY_ID = "key_0199f3b0c1d27a4e8f60112233445599";

beforeEach(() => {
  Element.prototype.setPointerCapture = () => undefined;
});
afterEach(() => {
  cleanup();
  localStorage.clear();
});

function openFeed(answers: FakeAnswers, { role, named }: { role?: Role; named?: string } = {}) {
  return openScreen({
    address: "/ai-intelligence",
    parseSearch: () => ({}),
    screen: () => (
      <TenantGate>
        {(tenant) => (
          <InsightFeed
            tenant={tenant}
            named={named}
            dialogs={{
              renderKey: ({ keyId, task, onDone }) => (
                <button type="button" onClick={onDone}>
                  {task} {keyId}
                </button>
              ),
              renderAlert: ({ proposal }) => (
                <p>
                  {proposal.measure} {proposal.kind} {proposal.threshold}{" "}
                  {JSON.stringify(proposal.filters)}
                </p>
              ),
            }}
          />
        )}
      </TenantGate>
    ),
    answers: {
      [`GET ${AT}/insights/feedback`]: () => ({ items: [] }),
      "GET /insight-digests": () => ({ items: [], email: "ada@example.com", sendsMail: true }),
      ...answers,
    },
    ...(role === undefined ? {} : { role }),
  });
}

const press = (name: string | RegExp) =>
  userEvent.click(screen.getByRole("button", { name, expanded: false }));

describe("what changed", () => {
  it("shows the evidence, the cause and one action, and dismisses with a way back", async () => {
    const sent: unknown[] = [];
    let isOpen = true;
    openFeed({
      [`GET ${AT}/insights`]: () => makeInsightList({ items: isOpen ? [makeInsight()] : [] }),
      [`PATCH ${AT}/insights/${INSIGHT_ID}`]: async (request) => {
        const change = (await request.json()) as { isDismissed: boolean };
        sent.push(change);
        isOpen = !change.isDismissed;
        return makeInsight();
      },
    });
    await screen.findByText(/Requests rose to 1,200 an hour/);
    screen.getByText("90%");
    const chart = screen.getByRole("link", { name: "Open chart" }).getAttribute("href");
    expect(chart).toContain("route=%2Fv1%2Fsearch");
    await userEvent.click(screen.getByRole("button", { name: "Hide evidence" }));
    expect(screen.queryByText("90%")).toBeNull();
    screen.getByRole("button", { name: "Evidence: 1,200 instead of 90 to 310" });
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    await screen.findByText("Nothing needs attention.");
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByText(/Requests rose to 1,200 an hour/);
    expect(sent).toEqual([{ isDismissed: true }, { isDismissed: false }]);
  });

  it("names keys, limits one in place and looks again afterwards", async () => {
    const cause = { dimension: "key", value: KEY_ID, share: 0.9, weight: 0.2 } as const;
    const insight = makeInsight({
      text: `Calls rose. 90% of the change comes from the key ${KEY_ID}.`,
      action: { do: "limit_key", keyId: KEY_ID as never },
      evidence: makeEvidence({ cause, parts: [cause] }),
    });
    let isChanged = false;
    openFeed({
      [`GET ${AT}/insights`]: () => makeInsightList({ items: isChanged ? [] : [insight] }),
      [`GET ${AT}/keys/${KEY_ID}`]: () => ({ keyId: KEY_ID, name: "Checkout" }),
      [`POST ${AT}/insights/refresh`]: () => {
        isChanged = true;
        return makeInsightList();
      },
    });
    await screen.findByText("Calls rose. 90% of the change comes from the key Checkout.");
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Make an alert of this" }));
    await screen.findByText(`requests above 310 {"key":"${KEY_ID}"}`);
    await userEvent.click(screen.getByRole("button", { name: "Limit key" }));
    await userEvent.click(await screen.findByRole("button", { name: `edit ${KEY_ID}` }));
    await screen.findByText("Nothing needs attention.");
  });

  it("begins with what is urgent, shows a named one first, and the first eight of many", async () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      makeInsight({
        insightId: `ins_${String(index).padStart(32, "0")}`,
        text: `Insight ${String(index)}`,
        ...(index === 42 && { kind: "invoice_overdue", evidence: null }),
      }),
    );
    openFeed(
      { [`GET ${AT}/insights`]: () => makeInsightList({ items: many }) },
      { named: many[77]?.insightId ?? "" },
    );
    await screen.findByText("Insight 77");
    const items = () =>
      screen.getAllByRole("heading", { level: 3 }).map((heading) => heading.textContent);
    expect(items().slice(0, 3)).toEqual(["Insight 77", "Insight 42", "Insight 0"]);
    expect(items()).toHaveLength(8);
    await userEvent.click(screen.getByRole("button", { name: "Show 92 more" }));
    expect(items()).toHaveLength(100);
  });

  it("says what ended and was dismissed when asked, and why it failed", async () => {
    let isDown = true;
    openFeed({
      [`GET ${AT}/insights`]: ({ url }) => {
        if (!url.includes("state=all")) {
          return makeInsightList();
        }
        const ended = makeInsight({ endedAt: "2026-07-14T12:00:00.000Z" });
        return isDown
          ? problem(503, "OVERLOADED", "Try again later.")
          : makeInsightList({ items: [ended] });
      },
    });
    await screen.findByText("Nothing needs attention.");
    await userEvent.click(screen.getByRole("radio", { name: "Ended and dismissed" }));
    await screen.findByText("The past insights could not be loaded.");
    isDown = false;
    await userEvent.click(screen.getByRole("button", { name: /Try again|Retry/ }));
    const item = (await screen.findByText(/Requests rose/)).closest("li") ?? expect.fail();
    within(item).getByText("Ended");
    expect(within(item).queryByRole("link", { name: "Open chart" })).toBeNull();
  });

  it("says how much history is missing, what is watched already, and looks again when asked", async () => {
    openFeed({
      [`GET ${AT}/insights`]: () =>
        makeInsightList({ history: { hours: 50, needed: 200 }, checkedAt: null }),
      [`POST ${AT}/insights/refresh`]: () => problem(503, "OVERLOADED", "Try again later."),
    });
    await screen.findByText("50 of 200 hours of history");
    screen.getByText("Watched from the first day");
    screen.getByText("Not checked yet: usage is checked each hour.");
    await userEvent.click(screen.getByRole("button", { name: "Check now" }));
    await screen.findByRole("alert");
  });

  it("says what is true before the first check: how many calls there are, or that there are none", async () => {
    let requests = 241;
    const routes = {
      [`GET ${AT}/insights`]: () =>
        makeInsightList({ history: { hours: 0, needed: 200 }, checkedAt: null }),
      [`GET ${AT}/usage`]: () => makeUsageReport({ totals: { requests } }),
    };
    openFeed(routes);
    await screen.findByText("241 calls so far, not checked yet.");
    expect(screen.queryByText(/No calls so far/)).toBeNull();
    cleanup();
    requests = 0;
    openFeed(routes);
    await screen.findByText(/No calls so far/);
  });

  it("offers no change to a role that may not make it", async () => {
    const raised = { measure: "requests", dimension: "key", required: 0.7, votes: 2 };
    openFeed(
      {
        [`GET ${AT}/insights`]: () => makeInsightList({ items: [makeInsight()] }),
        [`GET ${AT}/insights/feedback`]: () => ({
          items: [{ ...raised, until: "2026-08-14T12:00:00.000Z" }],
        }),
      },
      { role: "viewer" },
    );
    await screen.findByText(/Changes of requests by one key, from a confidence of 70%/);
    for (const name of ["Dismiss", "Useful", "Check now", "More actions", "Show as usual"]) {
      expect(screen.queryByRole("button", { name })).toBeNull();
    }
  });
});

describe("feedback and digest", () => {
  it("says what is shown less often, and takes it back", async () => {
    const sent: unknown[] = [];
    let raised = [
      {
        ...{ measure: "errors", dimension: null, required: 0.6, votes: 1 },
        until: "2026-08-14T12:00:00.000Z",
      },
    ];
    openFeed({
      [`GET ${AT}/insights`]: () => makeInsightList(),
      [`GET ${AT}/insights/feedback`]: () => ({ items: raised }),
      [`POST ${AT}/insights/feedback/reset`]: async (request) => {
        sent.push(await request.json());
        raised = [];
        return { items: [] };
      },
    });
    await screen.findByText(/Changes of errors everywhere, from a confidence of 60%/);
    await userEvent.click(screen.getByRole("button", { name: "Show as usual" }));
    await vi.waitFor(() => expect(screen.queryByText(/Shown less often/)).toBeNull());
    expect(sent).toEqual([{ measure: "errors", dimension: null }]);
  });

  it("mails a digest as often as the reader chooses, in their time zone", async () => {
    const sent: unknown[] = [];
    openFeed({
      [`GET ${AT}/insights`]: () => makeInsightList(),
      "PUT /insight-digests": async (request) => {
        const choice = (await request.json()) as object;
        sent.push(choice);
        return { ...choice, nextAt: "2026-07-20T06:00:00.000Z" };
      },
    });
    await screen.findByRole("button", { name: "Digest by mail" });
    await press("Digest by mail");
    await screen.findByText(/To ada@example.com/);
    await userEvent.click(screen.getByRole("menuitemradio", { name: "Weekly, Monday at 8:00" }));
    await screen.findByText(/Weekly, Monday at 8:00 in .+, when there is news/);
    const { timeZone } = new Intl.DateTimeFormat("en").resolvedOptions();
    expect(sent).toEqual([{ tenantId: TENANT_ID, frequency: "weekly", timeZone }]);
  });
});
