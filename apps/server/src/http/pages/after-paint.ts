import { readFileSync } from "node:fs";
import type { RawRoute } from "../raw-route.ts";
import { createAssetRoute, html, toAssetPath } from "./html-page.ts";

const text = readFileSync(new URL("./after-paint.browser.js", import.meta.url), "utf8");
const PATH = toAssetPath("after-paint", text, "js");
const ENTRY = /[ \t]*<script type="module"[^>]* src="(?<href>[^"]+)"><\/script>\n?/;
const PRELOAD = /[ \t]*<link rel="modulepreload"[^>]* href="(?<href>[^"]+)"[^>]*>\n?/g;

/** The script that starts the others. */
export const afterPaintRoute: RawRoute = createAssetRoute(
  PATH,
  "text/javascript; charset=utf-8",
  text,
);

/**
 * Takes the scripts out of the head of a page with content: on a slow network they would compete with the style sheet and the
 * typefaces for what the visitor sees first. One small script loads them after that.
 *
 * @param head - As it was built; unchanged when it has no script.
 */
export function loadAfterPaint(head: string): string {
  const entry = ENTRY.exec(head)?.groups?.["href"];
  if (entry === undefined) {
    return head;
  }
  const preloads = [...head.matchAll(PRELOAD)].map(({ groups }) => groups?.["href"] ?? "");
  const script = html`<script type="module" src="${PATH}" data-entry="${entry}" data-preloads="${preloads.join(" ")}"></script>\n`;
  return head.replace(ENTRY, () => script.html).replaceAll(PRELOAD, "");
}
