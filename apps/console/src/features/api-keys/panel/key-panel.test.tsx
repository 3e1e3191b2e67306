// @vitest-environment jsdom
import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import { AT, openPage, stagePages } from "../api-keys-page.fixture.tsx";
import { MAKER_ID, makeKey, toTestKeyId } from "../keys.fixture.ts";

stagePages();

describe("the panel of a key", () => {
  const DETAILS: FakeAnswers = {
    [`GET ${AT}/keys/${toTestKeyId(1)}`]: () => makeKey(1, { metadata: { region: "eu" } }),
    [`GET ${AT}/usage`]: () =>
      makeUsageReport({
        rows: [makeUsageRow(1, { outcome: "DISABLED" }, { requests: 4, denied: 4 })],
        totals: { requests: 4, denied: 4 },
      }),
    [`GET ${AT}/audit`]: (request) => {
      expect(new URL(request.url).searchParams.get("entityId")).toBe(toTestKeyId(1));
      return {
        items: [
          {
            auditId: "aud_1",
            occurredAt: "2026-11-21T12:00:00.000Z",
            actorType: "user",
            actorId: MAKER_ID,
            action: "key.disabled",
            entityType: "key",
            entityId: toTestKeyId(1),
            requestId: null,
            details: {},
          },
        ],
        nextCursor: null,
      };
    },
  };

  it("opens from the address alone, with denials and the audit trail", async () => {
    const { user, address } = openPage({
      keys: [makeKey(2)],
      search: { key: toTestKeyId(1) },
      answers: DETAILS,
    });
    const panel = await screen.findByRole("dialog", { name: "Key 1" });
    await within(panel).findByText("region:");
    const denials = await within(panel).findByRole("table", { name: "Denials by reason" });
    expect(denials.textContent).toContain("Key disabledDISABLED4100.0%");
    const trail = within(panel).getByRole("region", { name: "Audit trail" });
    await within(trail).findByText("by Ada");
    await user.click(within(panel).getByRole("button", { name: "Close" }));
    expect(address()).toEqual({});
  });

  it("says when and by whom a key was added if its trail does not", async () => {
    openPage({
      search: { key: toTestKeyId(1) },
      answers: { ...DETAILS, [`GET ${AT}/audit`]: () => ({ items: [], nextCursor: null }) },
    });
    const panel = await screen.findByRole("dialog", { name: "Key 1" });
    const trail = within(panel).getByRole("region", { name: "Audit trail" });
    await within(trail).findByText(
      /^This key was added on .*2026.* by Ada; nothing has been recorded since\.$/,
    );
  });

  it("has no trail for someone who may not read it", async () => {
    openPage({ search: { key: toTestKeyId(1) }, role: "developer", answers: DETAILS });
    const panel = await screen.findByRole("dialog", { name: "Key 1" });
    await within(panel).findByRole("table", { name: "Denials by reason" });
    expect(within(panel).queryByRole("region", { name: "Audit trail" })).toBe(null);
    within(panel).getByRole("button", { name: "Revoke" });
  });

  it("says when a key is not of this tenant, and shows none", async () => {
    openPage({
      search: { key: toTestKeyId(1) },
      keys: [],
      answers: {
        ...DETAILS,
        [`GET ${AT}/keys/${toTestKeyId(1)}`]: () =>
          problem(404, "RESOURCE_NOT_FOUND", "There is no such key."),
      },
    });
    const panel = await screen.findByRole("dialog");
    await within(panel).findByText("There is no such key.");
    expect(within(panel).queryByRole("button", { name: "Revoke" })).toBe(null);
  });
});
