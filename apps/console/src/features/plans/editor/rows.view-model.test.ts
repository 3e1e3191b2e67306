import { describe, expect, it } from "vitest";
import { addRow, changeRow, moveRow, removeRow, toRows } from "./rows.view-model.ts";

const rows = toRows([{ name: "a" }, { name: "b" }, { name: "c" }]);
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).join("");

describe("rows of a form", () => {
  it("keep their ids when others are added, moved or removed", () => {
    const added = addRow(removeRow(rows, 1), { name: "d" });
    expect(added).toEqual([
      { name: "a", rowId: 0 },
      { name: "c", rowId: 2 },
      { name: "d", rowId: 3 },
    ]);
    expect(moveRow(added, 3, -1).map(({ rowId }) => rowId)).toEqual([0, 3, 2]);
  });

  it("are added before another one where that is asked for", () => {
    expect(names(addRow(rows, { name: "d" }, 2))).toBe("abdc");
    expect(names(addRow(rows, { name: "d" }, 9))).toBe("abcd");
  });

  it("do not move over an edge", () => {
    expect(names(moveRow(rows, 0, -1))).toBe("abc");
    expect(names(moveRow(rows, 2, 1))).toBe("abc");
    expect(names(moveRow(rows, 9, 1))).toBe("abc");
    expect(names(moveRow(rows, 0, 1))).toBe("bac");
  });

  it("change alone", () => {
    expect(names(changeRow(rows, 1, { name: "x" }))).toBe("axc");
  });
});
