import { describe, expect, it } from "vitest";
import { CommitGate } from "./commit-gate.ts";

describe("what belongs to a group of usage", () => {
  it("waits until the group is committed", () => {
    const gate = new CommitGate<string>();
    expect([gate.add(1, "a"), gate.add(2, "b"), gate.add(1, "c")]).toEqual([
      "held",
      "held",
      "held",
    ]);
    expect(gate.settle(1, true)).toEqual(["a", "c"]);
    expect(gate.size).toBe(1);
    expect(gate.add(1, "d")).toBe("passed");
    expect(gate.settle(4, true)).toEqual(["b"]);
    expect(gate.add(5, "e")).toBe("held");
  });

  it("is kept out when the ledger refuses the group, also when it comes hours later", () => {
    const gate = new CommitGate<string>();
    gate.add(1, "a");
    gate.add(2, "b");
    expect(gate.settle(1, true)).toEqual(["a"]);
    expect(gate.settle(2, false)).toEqual(["b"]);
    expect(gate.settle(3, true)).toEqual([]);
    expect([gate.add(1, "c"), gate.add(2, "d"), gate.add(3, "e")]).toEqual([
      "passed",
      "refused",
      "passed",
    ]);
  });

  it("is given up as a whole", () => {
    const gate = new CommitGate<string>();
    gate.add(1, "a");
    gate.add(7, "b");
    expect(gate.clear()).toEqual(["a", "b"]);
    expect(gate.size).toBe(0);
  });
});
