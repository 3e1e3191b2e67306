// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { TENANT_ID } from "../billing/billing-answers.fixture.ts";
import { openScreen } from "../billing/open-billing-screen.fixture.tsx";
import { InsightNotes, type InsightNotesProps } from "./insight-notes.tsx";
import { makeInsight, makeInsightList } from "./insights.fixture.ts";

const INSIGHTS = `GET /tenants/${TENANT_ID}/insights`;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(answer: () => object, props: Partial<InsightNotesProps> = {}) {
  let asked = 0;
  openScreen({
    address: "/overview",
    parseSearch: () => ({}),
    screen: () => (
      <>
        <h1>Overview</h1>
        <InsightNotes tenant={{ tenantId: TENANT_ID as never }} title="What changed" {...props} />
      </>
    ),
    answers: {
      [INSIGHTS]: () => {
        asked += 1;
        return answer();
      },
    },
  });
  return { wasAsked: () => vi.waitFor(() => expect(asked).toBe(1)) };
}

it("shows the three most urgent of those that belong to the screen, with their action and the way to all", async () => {
  const overdue = makeInsight({
    insightId: `ins_${"1".repeat(32)}`,
    kind: "invoice_overdue",
    text: "An invoice is overdue.",
    evidence: null,
    action: { do: "pay_invoice", invoiceId: "inv_1" },
  });
  const others = ["a", "b", "c", "d"].map((id) =>
    makeInsight({ insightId: `ins_${id.repeat(32)}`, text: `Change ${id}` }),
  );
  const hidden = makeInsight({ insightId: `ins_${"f".repeat(32)}`, text: "Not here" });
  open(() => makeInsightList({ items: [hidden, ...others, overdue] }), {
    isShown: ({ text }) => text !== "Not here",
  });
  await screen.findByText("An invoice is overdue.");
  expect(screen.getAllByRole("listitem").map((item) => item.textContent?.slice(0, 30))).toEqual([
    expect.stringContaining("An invoice"),
    expect.stringContaining("Change a"),
    expect.stringContaining("Change b"),
  ]);
  expect(screen.getByRole("link", { name: "Open invoice" }).getAttribute("href")).toContain(
    "invoice=inv_1",
  );
  screen.getByRole("link", { name: "2 more" });
});

it.each([
  ["there are none", () => makeInsightList()],
  ["they cannot be loaded", () => problem(503, "OVERLOADED", "Try again later.")],
])("takes no room while %s", async (_, answer) => {
  const { wasAsked } = open(answer);
  await screen.findByRole("heading", { name: "Overview" });
  await wasAsked();
  expect(screen.queryByText("What changed")).toBeNull();
});
