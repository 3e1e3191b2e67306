import { draftsRow } from "@turnpike/contract/plan-drafts-preview";
import { expect, it } from "vitest";
import { addRow, createReport, LISTED_MAX, listTotals } from "./drafts-report.view-model.ts";

const AT = "2026-11-01T00:00:00.000Z";
const row = (tenantName: string, before: string | null, after: string | null, more = {}) =>
  draftsRow.parse({
    ...{ kind: "subscriber", planId: "pro", planName: "Pro", planVersion: 3, tenantName },
    tenantId: "ten_0199f3b0c1d27a4e8f60112233445566",
    ...{ currency: before === null ? null : "USD", from: AT, to: AT, isWhole: true, before, after },
    difference:
      before === null || after === null ? null : (Number(after) - Number(before)).toFixed(2),
    fault: null,
    ...more,
  });

it("sums up all drafts exactly, and lists who loses and who gains most", () => {
  const report = createReport();
  for (let index = 0; index < LISTED_MAX + 5; index += 1) {
    addRow(report, row(`Loser ${String(index)}`, "10.00", `${String(11 + index)}.10`));
  }
  addRow(report, row("Small winner", "10.00", "9.90"));
  addRow(report, row("Winner", "10.00", "1.00"));
  addRow(report, row("Same", "10.00", "10.00"));
  addRow(report, row("Yen", "900", "1000", { currency: "JPY", difference: "100" }));
  addRow(report, row("Free", null, null));
  addRow(report, row("Elsewhere", "10.00", null, { fault: "Another currency." }));
  addRow(report, draftsRow.parse({ kind: "fault", planId: "a", planName: "A", fault: "No fee." }));

  expect(report).toMatchObject({
    ...{ subscribers: LISTED_MAX + 11, unbilled: 1, refused: 1 },
    faults: [{ planName: "A", fault: "No fee." }],
  });
  const [dollars, yen] = listTotals(report);
  // Fifteen losers pay 1.10 to 15.10 more.
  expect(dollars).toMatchObject({
    ...{ currency: "USD", more: 15, less: 2, same: 1 },
    ...{ before: "180", after: "292.4", difference: "112.4" },
  });
  expect(dollars?.losers.map(({ tenantName }) => tenantName)).toEqual(
    Array.from({ length: LISTED_MAX }, (_, index) => `Loser ${String(14 - index)}`),
  );
  expect(dollars?.winners.map(({ tenantName }) => tenantName)).toEqual(["Winner", "Small winner"]);
  expect(yen).toMatchObject({ currency: "JPY", difference: "100" });
});
