import { readFileSync } from "node:fs";
import type { RawRoute } from "../../raw-route.ts";
import { createAssetRoute, toAssetPath } from "../html-page.ts";

const text = readFileSync(new URL("./try-it.browser.js", import.meta.url), "utf8");

/** The script that sends calls from a page of a reference. */
export const TRY_IT_PATH = toAssetPath("try-it", text, "js");

export const tryItRoute: RawRoute = createAssetRoute(
  TRY_IT_PATH,
  "text/javascript; charset=utf-8",
  text,
);
