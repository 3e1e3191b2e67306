import { describe, expect, it } from "vitest";
import { renderIndex } from "./render-index.ts";

const CLEAN = { screen: "plans", state: "ready", look: "desk", file: "a.png", findings: [] };
const FAULTY = { ...CLEAN, state: "empty", file: "b.png", findings: ["<p> is 3 px too wide"] };

describe("the page of the catalogue", () => {
  it("shows each picture once, in the column of its state", () => {
    const page = renderIndex([CLEAN, FAULTY]);
    expect(page.match(/<img src="[^"]+"/g)).toEqual(['<img src="a.png"', '<img src="b.png"']);
    expect(page).toContain("<th>Screen</th><th>ready</th><th>empty</th>");
  });

  it("lists what was found, as text", () => {
    const page = renderIndex([CLEAN, FAULTY]);
    expect(page).toContain("2 pictures, 1 with findings.");
    expect(page).toContain("<li>&lt;p&gt; is 3 px too wide</li>");
  });

  it("says that nothing was found", () => {
    expect(renderIndex([CLEAN])).toContain("1 pictures, 0 with findings.");
  });
});
