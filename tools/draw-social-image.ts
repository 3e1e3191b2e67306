/**
 * Draws the picture that previews of public pages show, from the mark: `node tools/draw-social-image.ts`.
 *
 * It names no product, because the operator chooses the product's name.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { startBrowser } from "../e2e/support/browser.ts";

const CONSOLE = resolve(import.meta.dirname, "../apps/console");
const SIZE_PX = { widthPx: 1200, heightPx: 630 };

const mark = await readFile(join(CONSOLE, "src/brand-mark.svg"), "utf8");
await using browser = await startBrowser(SIZE_PX);
const page = await browser.context.newPage();
await page.setContent(`<!doctype html>
<style>
  html, body { height: 100%; margin: 0; background: oklch(0.18 0.005 75); }
  body { display: grid; place-items: center; position: relative; overflow: hidden; }
  body::after {
    content: ""; position: absolute; inset: auto 0 88px; height: 10px;
    background: repeating-linear-gradient(90deg, oklch(0.865 0.172 91) 0 96px, transparent 96px 168px);
  }
  svg { width: 260px; height: 260px; margin-bottom: 60px; }
</style>
${mark}`);
const target = join(CONSOLE, "public/social-image.png");
await writeFile(target, await page.screenshot());
console.log(target);
