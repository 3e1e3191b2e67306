// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FORMATS, stubLayout } from "./chart-stage.fixture.ts";
import type { ChartView } from "./chart-types.ts";
import { listBuckets } from "./list-buckets.fixture.ts";
import { TimeBars, type TimeBarsProps } from "./time-bars.tsx";

const FROM_MS = Date.parse("2026-11-21T00:00:00Z");
const HOUR_MS = 3_600_000;

beforeEach(() => stubLayout(640));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function renderBars(change: Partial<TimeBarsProps> = {}) {
  const buckets = listBuckets({
    fromMs: FROM_MS,
    toMs: FROM_MS + 4 * HOUR_MS,
    grain: "hour",
    timeZone: "UTC",
  });
  const onSelectRange = vi.fn();
  const onViewChange = vi.fn();
  const props: TimeBarsProps = {
    label: "Requests by outcome",
    unit: "requests",
    grain: "hour",
    buckets,
    series: [
      { key: "VALID", label: "Served", tone: "accent", values: [10, 0, 30, 40] },
      { key: "RATE_LIMITED", label: "Rate limited", tone: "warning", values: [1, 0, 3, 0] },
    ],
    timeZone: "UTC",
    formats: FORMATS,
    emptyText: "No requests in this range.",
    view: "chart" as ChartView,
    onViewChange,
    onSelectRange,
    ...change,
  };
  render(<TimeBars {...props} />);
  return { onSelectRange, onViewChange };
}

const focusChart = async () => {
  const chart = screen.getByRole("application", { name: /Requests by outcome/ });
  chart.focus();
  return chart;
};
const spoken = () => screen.getByRole("status").textContent;

describe("TimeBars", () => {
  it("moves the crosshair by keys and says every series at it", async () => {
    renderBars();
    await focusChart();
    await userEvent.keyboard("{Home}");
    expect(spoken()).toBe("00:00; Total 11 calls; Served 10 calls; Rate limited 1 calls");
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    expect(spoken()).toContain("02:00; Total 33 calls");
    await userEvent.keyboard("{End}");
    expect(spoken()).toContain("03:00; Total 40 calls");
  });

  it("selects a range by Shift and arrows and takes it with Enter", async () => {
    const { onSelectRange } = renderBars();
    await focusChart();
    await userEvent.keyboard("{Home}{Shift>}{ArrowRight}{ArrowRight}{/Shift}");
    expect(spoken()).toBe(
      "Selected: 00:00 to 03:00. 02:00; Total 33 calls; Served 30 calls; Rate limited 3 calls",
    );
    await userEvent.keyboard("{Enter}");
    expect(onSelectRange).toHaveBeenCalledExactlyOnceWith(FROM_MS, FROM_MS + 3 * HOUR_MS);
  });

  it("selects a range by dragging, in either direction", async () => {
    const { onSelectRange } = renderBars();
    const chart = await focusChart();
    chart.setPointerCapture = vi.fn();
    vi.spyOn(chart, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 400, 200));
    const user = userEvent.setup();
    await user.pointer([
      { keys: "[MouseLeft>]", target: chart, coords: { clientX: 350 } },
      { target: chart, coords: { clientX: 150 } },
      { keys: "[/MouseLeft]", target: chart, coords: { clientX: 150 } },
    ]);
    expect(onSelectRange).toHaveBeenCalledExactlyOnceWith(FROM_MS + HOUR_MS, FROM_MS + 4 * HOUR_MS);
  });

  it("takes a series out of the chart by its button in the legend and brings it back", async () => {
    renderBars();
    const button = screen.getByRole("button", { name: "Rate limited" });
    await userEvent.click(button);
    expect(button.getAttribute("aria-pressed")).toBe("false");
    await focusChart();
    await userEvent.keyboard("{Home}");
    expect(spoken()).toBe("00:00; Served 10 calls");
    await userEvent.click(button);
    await focusChart();
    await userEvent.keyboard("{Home}");
    expect(spoken()).toContain("Rate limited 1 calls");
  });

  it("asks for its table and shows the same numbers in it", async () => {
    const { onViewChange } = renderBars();
    await userEvent.click(screen.getByRole("button", { name: /view as table/ }));
    expect(onViewChange).toHaveBeenCalledExactlyOnceWith("table");
    cleanup();
    renderBars({ view: "table" });
    const table = screen.getByRole("table", { name: /Requests by outcome/ });
    const rows = within(table).getAllByRole("row");
    expect(rows).toHaveLength(5);
    expect(rows[3]?.textContent).toBe("02:0030 calls3 calls");
    expect(screen.queryByRole("application")).toBe(null);
  });

  it("says that there was nothing and still stands in the same box", () => {
    renderBars({
      series: [{ key: "VALID", label: "Served", tone: "accent", values: [0, 0, 0, 0] }],
    });
    expect(screen.getByText("No requests in this range.")).toBeTruthy();
    expect(screen.getByRole("application")).toBeTruthy();
  });

  it("reserves its box before its width is known", () => {
    stubLayout(0);
    renderBars();
    expect(screen.getByRole("figure").querySelector<HTMLElement>("[style]")?.style.height).toBe(
      "260px",
    );
  });

  it("says at the crosshair that a bucket is incomplete, and when what it is compared with was", async () => {
    const buckets = [0, 1].map((hour) => ({
      fromMs: FROM_MS + hour * HOUR_MS,
      toMs: FROM_MS + (hour + 1) * HOUR_MS,
      previous: { fromMs: FROM_MS - (2 - hour) * HOUR_MS, toMs: FROM_MS - (1 - hour) * HOUR_MS },
      ...(hour === 1 && { isIncomplete: true }),
    }));
    const served = { key: "VALID", label: "Served", tone: "accent" as const };
    renderBars({ buckets, series: [{ ...served, values: [10, 4], previous: [8, 9] }] });
    await focusChart();
    await userEvent.keyboard("{Home}");
    expect(spoken()).not.toContain("incomplete");
    expect(screen.getByText("Previous: 22:00")).toBeTruthy();
    await userEvent.keyboard("{End}");
    expect(spoken()).toContain("01:00 · incomplete");
    expect(screen.getByText("Previous: 23:00")).toBeTruthy();
  });
});
