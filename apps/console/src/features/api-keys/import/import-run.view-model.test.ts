import { IMPORT_ROWS_MAX, importKeysResponse } from "@turnpike/contract/key-import";
import { describe, expect, it } from "vitest";
import {
  addAnswer,
  type ImportBatch,
  MISTAKES_SHOWN_MAX,
  startTally,
  toBatches,
} from "./import-run.view-model.ts";
import type { ImportRow } from "./read-import-text.ts";

const row = (number: number, value: unknown = { hash: "a" }): ImportRow => ({
  place: `Line ${String(number)}`,
  value,
});
const unread = (number: number): ImportRow => ({
  place: `Line ${String(number)}`,
  errors: [{ pointer: "/metadata", message: "Not a JSON object." }],
});
const bytesOf = (batch: ImportBatch) =>
  new TextEncoder().encode(JSON.stringify({ rows: batch.map(({ value }) => value) })).length;

describe("toBatches", () => {
  it("sends each valid row once and in order, in requests that the API accepts", () => {
    const long = { hash: "a", name: "ü".repeat(2_000) };
    const rows = Array.from({ length: 2_500 }, (_, n) =>
      n % 500 === 7 ? unread(n) : row(n, n < 1_200 ? { hash: "a" } : long),
    );
    const batches = toBatches(rows);
    expect(batches.flat().map(({ place }) => place)).toEqual(
      rows.filter((one) => "value" in one).map(({ place }) => place),
    );
    expect(batches.length).toBeGreaterThan(3);
    for (const batch of batches) {
      expect(batch.length).toBeLessThanOrEqual(IMPORT_ROWS_MAX);
      expect(bytesOf(batch)).toBeLessThan(1_000_000);
    }
    expect(toBatches([])).toEqual([]);
  });
});

describe("the tally of an import", () => {
  it("starts with the unreadable rows and adds each response, with errors in file order", () => {
    const rows = [unread(2), row(3), row(4), row(5)];
    const [batch = []] = toBatches(rows);
    const answer = importKeysResponse.parse({
      dryRun: true,
      imported: 1,
      existing: 1,
      refused: 1,
      items: [
        { status: "imported", keyId: null, errors: [] },
        {
          status: "refused",
          keyId: null,
          errors: [{ pointer: "/scopes/0", message: "Not allowed." }],
        },
        { status: "exists", keyId: `key_${"0".repeat(32)}`, errors: [] },
      ],
    });
    expect(addAnswer(startTally(rows), batch, answer)).toEqual({
      done: 4,
      imported: 1,
      existing: 1,
      refused: 2,
      mistakes: [
        { place: "Line 2", field: "metadata", message: "Not a JSON object." },
        { place: "Line 4", field: "scopes/0", message: "Not allowed." },
      ],
      mistakesOmitted: 0,
    });
  });

  it("lists errors in file order, whether found here or by the server", () => {
    const rows = [row(3), row(9), unread(10)];
    const [batch = []] = toBatches(rows);
    const refused = (message: string) => ({
      status: "refused" as const,
      keyId: null,
      errors: [{ pointer: "/hash", message }],
    });
    const answer = importKeysResponse.parse({
      dryRun: true,
      imported: 0,
      existing: 0,
      refused: 2,
      items: [refused("No hash."), refused("No hash.")],
    });
    const { mistakes } = addAnswer(startTally(rows), batch, answer);
    expect(mistakes.map(({ place }) => place)).toEqual(["Line 3", "Line 9", "Line 10"]);
  });

  it("shows the first errors and counts the others", () => {
    const tally = startTally(Array.from({ length: 250 }, (_, n) => unread(n)));
    expect(tally.mistakes).toHaveLength(MISTAKES_SHOWN_MAX);
    expect(tally.mistakesOmitted).toBe(50);
    expect(tally.refused).toBe(250);
  });
});
