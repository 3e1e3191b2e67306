import { describe, expect, it } from "vitest";
import { listChanges } from "./invoice-changes.view-model.ts";

const OPEN = { state: "open", paid: "0.00", credited: "0.00", due: "49.00" } as const;

describe("listChanges", () => {
  it("lets an open invoice be voided, written off and paid", () => {
    expect(listChanges(OPEN)).toEqual({ mayVoid: true, mayWriteOff: true, mayPay: true });
  });

  it("voids nothing of which something was paid or credited", () => {
    expect(listChanges({ ...OPEN, paid: "1.00" }).mayVoid).toBe(false);
    expect(listChanges({ ...OPEN, credited: "1.00" }).mayVoid).toBe(false);
    expect(listChanges({ ...OPEN, state: "void" }).mayVoid).toBe(false);
  });

  it("lets what was written off still be paid, and what is settled not", () => {
    expect(listChanges({ ...OPEN, state: "uncollectible" })).toMatchObject({
      mayPay: true,
      mayWriteOff: false,
    });
    expect(listChanges({ ...OPEN, state: "paid", due: "0.00" }).mayPay).toBe(false);
    expect(listChanges({ ...OPEN, state: "void", due: "0.00" }).mayPay).toBe(false);
  });
});
