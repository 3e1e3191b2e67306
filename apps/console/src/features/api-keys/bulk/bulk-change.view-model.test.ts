import { describe, expect, it } from "vitest";
import { makeKey } from "../keys.fixture.ts";
import {
  type BulkChange,
  findBulkShortcut,
  foreseeBulk,
  groupFailures,
  listFitting,
  toDoneText,
  toUndo,
  toUndoneText,
} from "./bulk-change.view-model.ts";

const NOW_MS = Date.parse("2026-11-21T12:00:00.000Z");
const SOON = "2026-12-01T00:00:00.000Z";
const OVER = "2026-11-01T00:00:00.000Z";

describe("a change of many keys", () => {
  const keys = [
    makeKey(1),
    makeKey(2, { state: "disabled" }),
    makeKey(3, { state: "expired", expiresAt: OVER }),
    makeKey(4, { state: "revoked" }),
  ];
  const numbers = (fitting: typeof keys) => fitting.map(({ name }) => name);

  it("applies to the keys that it fits", () => {
    expect(numbers(listFitting(keys, "disable"))).toEqual(["Key 1"]);
    expect(numbers(listFitting(keys, "enable"))).toEqual(["Key 2"]);
    expect(numbers(listFitting(keys, "revoke"))).toEqual(["Key 1", "Key 2", "Key 3"]);
    expect(numbers(listFitting(keys, "set_expiry"))).toEqual(["Key 1", "Key 2", "Key 3"]);
  });

  it("leaves out the expiry of a rolled key, which ends with its grace period", () => {
    const rolled = makeKey(5, { rolledToKeyId: makeKey(1).keyId, expiresAt: SOON });
    expect(listFitting([rolled], "set_expiry")).toEqual([]);
    expect(listFitting([rolled], "revoke")).toEqual([rolled]);
  });

  it("predicts the result: an expired key with a later expiry works again", () => {
    const change: BulkChange = { action: "set_expiry", expiresAt: SOON };
    expect(keys.map((key) => foreseeBulk(key, change, NOW_MS).state)).toEqual([
      "active",
      "disabled",
      "active",
      "revoked",
    ]);
    expect(foreseeBulk(makeKey(1), { action: "disable" }, NOW_MS).state).toBe("disabled");
  });

  it("is undone by its opposite, and each expiry by its previous value", () => {
    const [one, two, three] = [makeKey(1), makeKey(2, { expiresAt: SOON }), makeKey(3)];
    const before = [one, two, three];
    const keyIds = before.map(({ keyId }) => keyId);
    expect(toUndo(before, { action: "disable" }, NOW_MS)).toEqual([
      { keyIds, change: { action: "enable" } },
    ]);
    expect(toUndo(before, { action: "set_expiry", expiresAt: null }, NOW_MS)).toEqual([
      { keyIds: [one.keyId, three.keyId], change: { action: "set_expiry", expiresAt: null } },
      { keyIds: [two.keyId], change: { action: "set_expiry", expiresAt: SOON } },
    ]);
  });

  it("offers no undo when it is irreversible", () => {
    expect(toUndo([makeKey(1)], { action: "revoke" }, NOW_MS)).toEqual([]);
    const over = makeKey(1, { state: "expired", expiresAt: OVER });
    expect(toUndo([over], { action: "set_expiry", expiresAt: SOON }, NOW_MS)).toEqual([]);
  });

  it("reports the keys that changed, needed no change, and cannot be restored", () => {
    expect(toDoneText({ action: "disable" }, { changed: 1, unchanged: 0 })).toBe(
      "1 key is disabled.",
    );
    expect(toDoneText({ action: "revoke" }, { changed: 0, unchanged: 2 })).toBe(
      "2 keys needed no change.",
    );
    expect(toUndoneText({ undone: 2, kept: 0 })).toBe("2 keys were changed back.");
    expect(toUndoneText({ undone: 0, kept: 1 })).toBe(
      "1 key keeps the new expiry, because the previous one has passed.",
    );
  });

  it("gives each failure reason once, with the names of the first keys", () => {
    const many = Array.from({ length: 7 }, (_, n) => ({ key: makeKey(n), reason: "No answer." }));
    const other = { key: makeKey(8), reason: "This key is locked." };
    expect(groupFailures([...many.slice(0, 3), other, ...many.slice(3)])).toEqual([
      {
        reason: "No answer.",
        names: ["Key 0", "Key 1", "Key 2", "Key 3", "Key 4"],
        namesOmitted: 2,
      },
      { reason: "This key is locked.", names: ["Key 8"], namesOmitted: 0 },
    ]);
  });

  it("is started by a shortcut on a selected row if any selected key allows it", () => {
    expect(findBulkShortcut("d", keys)).toBe("disable");
    expect(findBulkShortcut("D", keys.slice(1))).toBe("enable");
    expect(findBulkShortcut("x", keys)).toBe("set_expiry");
    expect(findBulkShortcut("Delete", keys)).toBe("revoke");
    expect(findBulkShortcut("Delete", keys.slice(3))).toBe(undefined);
    expect(findBulkShortcut("e", keys)).toBe(undefined);
  });
});
