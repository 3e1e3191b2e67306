import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCompact,
  formatExactShare,
  formatMs,
  toChange,
} from "./format-measure.ts";

describe("formatCompact", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1234, "1.2K"],
    [604_771, "604.8K"],
    [38_000_000_000, "38bn"],
    [9.1e15, "9100tn"],
  ])("%d is %s", (quantity, text) => {
    expect(formatCompact(quantity)).toBe(text);
  });
});

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_500, "1.5 kB"],
    [999_960, "1 MB"],
    [38_000_000_000, "38 GB"],
    [4e18, "4,000 PB"],
  ])("%d is %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe("formatMs", () => {
  it.each([
    [0, "0 ms"],
    [0.84, "0.8 ms"],
    [34.4, "34 ms"],
    [999.4, "999 ms"],
    [1234, "1.2 s"],
  ])("%d is %s", (ms, text) => {
    expect(formatMs(ms)).toBe(text);
  });
});

describe("formatExactShare", () => {
  it.each([
    [0, "0.0%"],
    [0.0003, "<0.1%"],
    [0.125, "12.5%"],
    [0.9994, "99.9%"],
    [0.9997, "99.97%"],
    [0.999999, "99.99%"],
    [1, "100.0%"],
  ])("%d is %s", (share, text) => {
    expect(formatExactShare(share)).toBe(text);
  });
});

describe("toChange", () => {
  it.each([
    ["more", 112, 100, "relative", { text: "+12%", direction: "up" }],
    ["less", 50, 100, "relative", { text: "-50%", direction: "down" }],
    ["the same", 100, 100, "relative", { text: "no change", direction: "same" }],
    ["too little to write", 100_001, 100_000, "relative", { text: "no change", direction: "same" }],
    ["something out of nothing", 5, 0, "relative", { text: "new", direction: "up" }],
    ["nothing out of nothing", 0, 0, "relative", { text: "no change", direction: "same" }],
    ["a better share", 0.995, 0.98, "points", { text: "+1.5 pp", direction: "up" }],
    ["a share that was zero", 0.01, 0, "points", { text: "+1 pp", direction: "up" }],
    ["an unknown now", null, 5, "relative", undefined],
    ["an unknown before", 5, null, "points", undefined],
  ] as const)("writes %s", (_, now, before, kind, change) => {
    expect(toChange(now, before, kind)).toEqual(change);
  });
});
