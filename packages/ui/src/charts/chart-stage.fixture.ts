import { vi } from "vitest";
import type { ChartFormats } from "./chart-types.ts";

/** jsdom lays nothing out: every observed element is as wide as the test says. */
export function stubLayout(widthPx: number): void {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #report: ResizeObserverCallback;
      constructor(report: ResizeObserverCallback) {
        this.#report = report;
      }
      observe(): void {
        const entry = { contentRect: { width: widthPx } };
        Reflect.apply(this.#report, undefined, [[entry], this]);
      }
      disconnect = vi.fn();
    },
  );
}

export const FORMATS: ChartFormats = {
  value: (value) => String(value),
  exact: (value) => `${String(value)} calls`,
  tick: (instantMs) => new Date(instantMs).toISOString().slice(11, 16),
  bucket: (bucket) => new Date(bucket.fromMs).toISOString().slice(11, 16),
  span: (bucket) =>
    [bucket.fromMs, bucket.toMs].map((ms) => new Date(ms).toISOString().slice(11, 16)).join(" to "),
};
