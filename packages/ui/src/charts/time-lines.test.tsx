// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FORMATS, stubLayout } from "./chart-stage.fixture.ts";
import type { ChartView, TimeSeries } from "./chart-types.ts";
import { listBuckets } from "./list-buckets.fixture.ts";
import { TimeLines } from "./time-lines.tsx";

beforeEach(() => stubLayout(640));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function renderLines(series: readonly TimeSeries[], view: ChartView = "chart") {
  const fromMs = Date.parse("2026-11-21T00:00:00Z");
  const hours = Math.max(3, ...series.map(({ values }) => values.length));
  const buckets = listBuckets({
    fromMs,
    toMs: fromMs + hours * 3_600_000,
    grain: "hour",
    timeZone: "UTC",
  });
  render(
    <TimeLines
      label="Latency"
      unit="ms"
      buckets={buckets}
      series={series}
      timeZone="UTC"
      formats={FORMATS}
      emptyText="Nothing was measured."
      cutsPeaks
      view={view}
      onViewChange={vi.fn()}
    />,
  );
}

const P95: TimeSeries = { key: "p95", label: "p95", tone: "accent", values: [12, null, 20] };

describe("TimeLines", () => {
  it("says that a gap is no data, never zero", async () => {
    renderLines([{ ...P95, previous: [8, 9, null] }]);
    screen.getByRole("application").focus();
    await userEvent.keyboard("{Home}{ArrowRight}");
    expect(screen.getByRole("status").textContent).toBe("01:00; p95 no data, before 9 calls");
  });

  it("writes gaps into the table as no data", () => {
    renderLines([P95], "table");
    const rows = within(screen.getByRole("table")).getAllByRole("row");
    expect(rows.map((row) => row.textContent).slice(1)).toEqual([
      "00:0012 calls",
      "01:00no data",
      "02:0020 calls",
    ]);
  });

  it("says so when nothing was measured, and chooses no range without a listener", async () => {
    renderLines([{ ...P95, values: [null, null, null] }]);
    expect(screen.getByText("Nothing was measured.")).toBeTruthy();
    screen.getByRole("application").focus();
    await userEvent.keyboard("{Home}{Shift>}{ArrowRight}{/Shift}{Enter}");
    expect(screen.queryByText(/zoom/)).toBe(null);
  });

  it("gives what it says of peaks a line of its own where it is too narrow beside the unit", () => {
    const heights = [640, 290].map((widthPx) => {
      stubLayout(widthPx);
      renderLines([{ ...P95, values: [1, 2, 1, 2, 1, 2, 1, 2, 1, 60] }]);
      const note = screen.getByText(/Peaks up to 60 calls cut off/).parentElement?.style.height;
      const plot = document
        .querySelector(`svg[width="${String(widthPx)}"]`)
        ?.getAttribute("height");
      cleanup();
      return { note, plot };
    });
    expect(heights).toEqual([
      { note: "", plot: "260" },
      { note: "20px", plot: "240" },
    ]);
  });

  it("cuts a rare peak off, says so and how high it was, and shows it when asked", async () => {
    renderLines([{ ...P95, values: [1, 2, 1, 2, 1, 2, 1, 2, 1, 60] }]);
    const axis = () => [...document.querySelectorAll("svg text")].map((one) => one.textContent);
    expect(axis()).toContain("3");
    expect(axis()).not.toContain("60");
    screen.getByText(/Peaks up to 60 calls cut off/);
    screen.getByRole("application").focus();
    await userEvent.keyboard("{End}");
    expect(screen.getByRole("status").textContent).toBe("09:00; p95 60 calls");
    await userEvent.click(screen.getByRole("button", { name: "Show peaks in full" }));
    expect(axis()).toContain("60");
    await userEvent.click(screen.getByRole("button", { name: "Cut peaks off" }));
    expect(axis()).not.toContain("60");
  });
});
