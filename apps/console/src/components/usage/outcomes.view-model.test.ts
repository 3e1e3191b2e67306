import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ADMITTED_OUTCOMES } from "@turnpike/domain/metering/outcome";
import { toOutcomeLabel } from "@turnpike/domain/metering/to-outcome-label";
import { describe, expect, it } from "vitest";
import { toOutcomeGroup } from "./outcomes.view-model.ts";

const PAGE = join(import.meta.dirname, "../../../../../docs/analytics.md");

/** The table of the documentation: the words of each outcome, its code, and its group on charts. */
function readTable(): { words: string; code: string; group: string }[] {
  const rows = readFileSync(PAGE, "utf8").matchAll(/^\| ([^|]+) \| `([A-Z_]+)` \| ([^|]+) \|/gm);
  return [...rows].map(([, words = "", code = "", group = ""]) => ({ words, code, group }));
}

describe("the words for outcomes", () => {
  const table = readTable();

  it.each(table)("are on screens as the documentation says: $code", ({ words, code, group }) => {
    expect(toOutcomeLabel(code)).toBe(words);
    expect(toOutcomeGroup(code).label).toBe(group);
  });

  it("are written down for all that is let through, first and apart from the denials", () => {
    const codes = table.map(({ code }) => code);
    expect(new Set(codes.slice(0, ADMITTED_OUTCOMES.length))).toEqual(new Set(ADMITTED_OUTCOMES));
    expect(codes.length).toBeGreaterThan(ADMITTED_OUTCOMES.length + 10);
  });
});
