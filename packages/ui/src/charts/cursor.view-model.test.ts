import { describe, expect, it } from "vitest";
import { type Cursor, clampCursor, NO_CURSOR, stepCursor } from "./cursor.view-model.ts";

const press = (cursor: Cursor, key: string, { shiftKey = false, count = 10 } = {}) =>
  stepCursor(cursor, { key, shiftKey }, count);
const at = (index: number, anchor?: number): Cursor => ({ index, anchor });

describe("stepCursor", () => {
  it.each([
    ["ArrowRight", at(3), 4],
    ["ArrowLeft", at(3), 2],
    ["ArrowRight", at(9), 9],
    ["ArrowLeft", at(0), 0],
    ["Home", at(5), 0],
    ["End", at(5), 9],
    ["PageDown", at(5), 6],
    ["PageUp", at(5), 4],
    ["ArrowRight", NO_CURSOR, 0],
    ["ArrowLeft", NO_CURSOR, 9],
  ])("%s moves and stays inside", (key, cursor, index) => {
    expect(press(cursor, key)).toEqual({ kind: "move", cursor: at(index, undefined) });
  });

  it("begins a selection with Shift, grows it, and drops it on a plain move", () => {
    expect(press(at(3), "ArrowRight", { shiftKey: true })).toEqual({
      kind: "move",
      cursor: at(4, 3),
    });
    expect(press(at(4, 3), "End", { shiftKey: true })).toEqual({ kind: "move", cursor: at(9, 3) });
    expect(press(at(9, 3), "ArrowLeft")).toEqual({ kind: "move", cursor: at(8) });
  });

  it("takes a selection in either direction with Enter, or the one bucket", () => {
    expect(press(at(2, 6), "Enter")).toEqual({ kind: "select", fromIndex: 2, toIndex: 6 });
    expect(press(at(4), "Enter")).toEqual({ kind: "select", fromIndex: 4, toIndex: 4 });
    expect(press(NO_CURSOR, "Enter")).toBe(undefined);
  });

  it("gives up the selection first and the place second", () => {
    expect(press(at(2, 6), "Escape")).toEqual({ kind: "move", cursor: at(2) });
    expect(press(at(2), "Escape")).toEqual({ kind: "move", cursor: NO_CURSOR });
    expect(press(NO_CURSOR, "Escape")).toBe(undefined);
  });

  it("leaves other keys to the page, and every key where there is nothing", () => {
    expect(press(at(2), "Tab")).toBe(undefined);
    expect(press(NO_CURSOR, "ArrowRight", { count: 0 })).toBe(undefined);
  });
});

describe("clampCursor", () => {
  it("follows a chart that became shorter", () => {
    expect(clampCursor(at(8, 9), 5)).toEqual(at(4, 4));
    expect(clampCursor(at(2), 0)).toEqual(NO_CURSOR);
  });
});
