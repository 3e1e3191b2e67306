import { join } from "node:path";
import { toId } from "@turnpike/domain/ids/ids";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSet, loadState, saveState } from "./replay-state.ts";

const TENANT = toId("tenant", "0199f3b0c1d27a4e8f60112233445566");

describe("LineSet", () => {
  it("holds exactly the lines that were added, through its ranges and back", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 70_000 }), { maxLength: 300 }), (lines) => {
        const set = new LineSet();
        for (const line of lines) {
          set.add(line);
        }
        const copy = LineSet.fromRanges(set.toRanges());
        const wanted = new Set(lines);
        expect(copy.size).toBe(wanted.size);
        expect(lines.every((line) => copy.has(line))).toBe(true);
        expect([...wanted].every((line) => wanted.has(line + 1) === copy.has(line + 1))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("describes a run of lines by its ends", () => {
    const set = new LineSet();
    for (const line of [3, 1, 2, 9]) {
      set.add(line);
    }
    expect(set.toRanges()).toEqual([
      [1, 3],
      [9, 9],
    ]);
  });
});

describe("the kept state", () => {
  it("comes back as it was", async () => {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "replay", "state.json");
    const state = {
      tenantId: TENANT,
      answered: LineSet.fromRanges([[1, 40]]),
      byStatus: new Map([
        [200, 39],
        [404, 1],
      ]),
      unanswered: 2,
    };
    await saveState(path, state);
    const loaded = await loadState(path);
    expect(loaded).toMatchObject({ tenantId: TENANT, byStatus: state.byStatus, unanswered: 2 });
    expect(loaded?.answered.toRanges()).toEqual([[1, 40]]);
  });

  it("is nothing where nothing was kept", async () => {
    expect(await loadState("/nonexistent/state.json")).toBeUndefined();
  });
});
