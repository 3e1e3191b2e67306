import { describe, expect, it } from "vitest";
import { toFileName, toInvoiceBadge } from "./invoice.view-model.ts";

const DUE = "2026-12-01T00:00:00.000Z";
const BEFORE = "2026-11-30T23:59:59.999Z";

describe("toInvoiceBadge", () => {
  it("calls an open invoice overdue from its due date on, by the clock of its environment", () => {
    const labelAt = (now: string | undefined) =>
      toInvoiceBadge({ state: "open", dueAt: DUE }, now).label;
    expect([labelAt(BEFORE), labelAt(DUE), labelAt(undefined)]).toEqual([
      "Open",
      "Overdue",
      "Open",
    ]);
  });

  it("calls nothing overdue that needs no payment", () => {
    const labels = (["paid", "void", "uncollectible"] as const).map(
      (state) => toInvoiceBadge({ state, dueAt: DUE }, DUE).label,
    );
    expect(labels).toEqual(["Paid", "Void", "Written off"]);
  });
});

describe("toFileName", () => {
  it("has no character that a system refuses", () => {
    expect(toFileName("INV-2026-000001", "csv")).toBe("INV-2026-000001.csv");
    expect(toFileName("T/2026: 1", "json")).toBe("T-2026-1.json");
  });
});
