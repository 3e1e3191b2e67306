// @vitest-environment jsdom

import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveRows } from "./live-rows.tsx";
import { TAIL_ROWS_MAX, type TailRow } from "./live-tail.ts";

let report: () => void = () => undefined;

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(callback: ResizeObserverCallback) {
        report = () => Reflect.apply(callback, undefined, [[], this]);
      }
      observe = vi.fn();
      disconnect = vi.fn();
    },
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function rowsOf(count: number, seqFrom = 0, call: Partial<LiveCall> = {}): TailRow[] {
  return Array.from(
    { length: count },
    (_, n): TailRow => ({
      kind: "call",
      seq: seqFrom + count - n,
      call: {
        requestId: "req_0199f3b0c1d27a4e8f60112233445566",
        at: "2026-11-21T12:00:00.120Z",
        keyId: "key_0199f3b0c1d27a4e8f60112233445566" as LiveCall["keyId"],
        environment: "live",
        method: "GET",
        route: `/call/${String(seqFrom + count - n)}`,
        status: 200,
        outcome: "VALID",
        ...call,
        latencyMs: 12.3,
        bytesIn: 10,
        bytesOut: 2_000,
        model: "",
        tokens: null,
      },
    }),
  );
}

const props = {
  onOpen: vi.fn(),
  timeZone: "UTC",
  keyNames: new Map(),
  isFiltered: false,
  empty: "Waiting",
};

function size(element: HTMLElement, widthPx: number, heightPx: number): void {
  Object.defineProperties(element, {
    clientWidth: { value: widthPx, configurable: true },
    clientHeight: { value: heightPx, configurable: true },
  });
  act(() => report());
}

describe("LiveRows", () => {
  it("draws a few of 5,000 rows wherever it is scrolled to, and counts them all", () => {
    const rows = rowsOf(TAIL_ROWS_MAX);
    render(<LiveRows {...props} rows={rows} />);
    const list = screen.getByRole("region", { name: "Newest first" });
    size(list, 1_000, 540);
    for (const scrollTop of [0, 50_000, 36 * TAIL_ROWS_MAX]) {
      fireEvent.scroll(list, { target: { scrollTop } });
      expect(within(list).getAllByRole("row").length).toBeLessThanOrEqual(540 / 36 + 21);
    }
    expect(within(list).getByText("/call/1")).toBeTruthy();
    expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("5001");
  });

  it("keeps a reader who has scrolled at the same call while new ones arrive", () => {
    const { rerender } = render(<LiveRows {...props} rows={rowsOf(1_000)} />);
    const list = screen.getByRole("region", { name: "Newest first" });
    size(list, 1_000, 540);
    list.scrollTop = 3_600;
    fireEvent.scroll(list);
    rerender(<LiveRows {...props} rows={[...rowsOf(10, 1_000), ...rowsOf(1_000)]} />);
    expect(list.scrollTop).toBe(3_600 + 10 * 36);
    list.scrollTop = 0;
    rerender(
      <LiveRows {...props} rows={[...rowsOf(5, 1_010), ...rowsOf(10, 1_000), ...rowsOf(1_000)]} />,
    );
    expect(list.scrollTop).toBe(0);
  });

  it("shows what is known of each call, on phones too", () => {
    render(<LiveRows {...props} rows={rowsOf(1)} />);
    const list = screen.getByRole("region", { name: "Newest first" });
    for (const widthPx of [1_000, 360]) {
      size(list, widthPx, 540);
      const text = within(list).getAllByRole("row").at(-1)?.textContent;
      for (const part of ["12:00:00.120", "/call/1", "200", "Allowed", "12.3 ms"]) {
        expect(text).toContain(part);
      }
    }
  });

  it.each([
    { status: 404, outcome: "VALID", isAlarm: false },
    { status: 413, outcome: "PAYLOAD_TOO_LARGE", isAlarm: false },
    { status: 499, outcome: "CLIENT_ABORTED", isAlarm: false },
    { status: 500, outcome: "VALID", isAlarm: true },
    { status: 504, outcome: "UPSTREAM_TIMEOUT", isAlarm: true },
    { status: 429, outcome: "RATE_LIMITED", isAlarm: true },
    { status: 401, outcome: "REVOKED", isAlarm: true },
  ])(
    "marks calls that failed or were refused here: $status $outcome is $isAlarm",
    ({ isAlarm, ...call }) => {
      render(<LiveRows {...props} rows={rowsOf(1, 0, call)} />);
      const list = screen.getByRole("region", { name: "Newest first" });
      size(list, 1_000, 540);
      const cell = within(list).getByText(String(call.status));
      expect(cell.className.includes("text-danger")).toBe(isAlarm);
    },
  );

  it("is reachable by keyboard, and explains itself while it is empty", () => {
    const { rerender } = render(<LiveRows {...props} rows={[]} />);
    expect(screen.getByText("Waiting")).toBeTruthy();
    rerender(<LiveRows {...props} rows={[]} isFiltered />);
    expect(screen.getByRole("region", { name: "Newest first" }).tabIndex).toBe(0);
    expect(screen.getByText(/match the filters appear here/)).toBeTruthy();
  });
});
