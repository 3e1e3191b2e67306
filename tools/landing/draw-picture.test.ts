import { describe, expect, it } from "vitest";
import { drawPicture } from "./draw-picture.ts";
import type { Shape } from "./shape.ts";

const WINDOW = { width: 100, height: 50 };
const LIGHT = {
  "var(--asphalt-ink)": "black",
  "var(--action)": "black",
  "var(--brand-accent)": "yellow",
};
const DARK = {
  "var(--asphalt-ink)": "white",
  "var(--action)": "yellow",
  "var(--brand-accent)": "yellow",
};

function box(fill: string): Shape {
  return {
    kind: "box",
    ...{ x: 1, y: 2, width: 30, height: 10, radius: 4, opacity: 1 },
    ...{ fill, stroke: "none", strokeWidth: 0 },
  };
}

function draw(light: string, dark: string): string {
  return drawPicture(
    {
      light: { tokens: LIGHT, shapes: [box(light)] },
      dark: { tokens: DARK, shapes: [box(dark)] },
    },
    WINDOW,
  );
}

describe("a picture of the landing page", () => {
  it("has the tokens of the page that shows it, told apart by both themes", () => {
    expect(draw("black", "white")).toContain('fill="var(--asphalt-ink)"');
    expect(draw("black", "yellow")).toContain('fill="var(--action)"');
    expect(draw("yellow", "yellow")).toContain('fill="var(--brand-accent)"');
  });

  it("is not drawn with a colour that would stay what it is under another accent or theme", () => {
    expect(() => draw("gold", "khaki")).toThrow("gold khaki");
  });

  it("keeps what people typed from being markup", () => {
    const text: Shape = {
      ...{ kind: "text", x: 0, y: 9, width: 20, sizePx: 14, weight: "400", isMono: false },
      ...{ text: '<script>"&', fill: "black", opacity: 1 },
    };
    const shapes = [text];
    const drawn = drawPicture(
      { light: { tokens: LIGHT, shapes }, dark: { tokens: LIGHT, shapes } },
      WINDOW,
    );
    expect(drawn).toContain(">&lt;script>&quot;&amp;</text>");
  });
});
