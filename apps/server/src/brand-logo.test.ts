import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createLogoDrawer, type LogoDrawer } from "#modules/tenants/index.ts";
import { createBrandLogo } from "./brand-logo.ts";
import { findPngMark } from "./find-png-mark.ts";

const square = (type: "png" | "webp") =>
  sharp({ create: { width: 24, height: 24, channels: 3, background: "#1e6fd9" } })
    [type]()
    .toBuffer();
const addressOf = (type: string, bytes: Uint8Array) =>
  `data:image/${type};base64,${Buffer.from(bytes).toString("base64")}`;
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>',
);

describe("the mark of the brand in mails and invoices", () => {
  it("is a PNG in mails, drawn once, of an SVG, a PNG or a WebP", async () => {
    const real = createLogoDrawer();
    let drawings = 0;
    const drawer: LogoDrawer = {
      draw(task) {
        drawings += 1;
        return real.draw(task);
      },
    };
    const logger = { warn: () => undefined };
    const marks = [
      addressOf("svg+xml", SVG),
      addressOf("png", await square("png")),
      addressOf("webp", await square("webp")),
    ];
    for (const mark of marks) {
      const findLogo = createBrandLogo({ mark, drawer, logger });
      const [png, again] = [await findLogo(), await findLogo()];
      expect((await sharp(png).metadata()).format).toBe("png");
      expect(again).toBe(png);
    }
    expect(drawings).toBe(marks.length);
  });

  it("is left out of mails when there is none, or one that cannot be drawn, and the log says so", async () => {
    const warnings: unknown[] = [];
    const logger = { warn: (...parts: unknown[]) => warnings.push(parts) };
    const drawer = createLogoDrawer();
    expect(await createBrandLogo({ mark: undefined, drawer, logger })()).toBeUndefined();
    expect(warnings).toEqual([]);
    const mark = addressOf("png", (await square("png")).subarray(0, 40));
    expect(await createBrandLogo({ mark, drawer, logger })()).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it("is in invoices when it is a PNG that is whole, since a damaged one would hold up every invoice", async () => {
    const png = await square("png");
    const damaged = Buffer.from(png);
    damaged.fill(0xff, damaged.indexOf("IDAT") + 4, damaged.indexOf("IEND") - 8);
    expect(findPngMark(addressOf("png", png))).toBe(addressOf("png", png));
    const others = [
      undefined,
      addressOf("svg+xml", SVG),
      addressOf("webp", await square("webp")),
      addressOf("png", await square("webp")),
      addressOf("png", damaged),
      addressOf("png", png.subarray(0, png.length - 20)),
    ];
    expect(others.map(findPngMark)).toEqual(others.map(() => null));
  });
});
