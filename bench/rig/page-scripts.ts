import { gzipSync } from "node:zlib";
import type { Page, Request } from "playwright-core";

/** As a file server does it ahead of time. */
const GZIP_LEVEL = 9;
/** A page that asked for no script for so long has what it needs. */
const QUIET_MS = 3_000;

async function weigh(url: string): Promise<number> {
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`${url} answered ${String(answer.status)}.`);
  }
  return gzipSync(await answer.bytes(), { level: GZIP_LEVEL }).length;
}

/**
 * What a browser with an empty cache loads of JavaScript before a page is at rest.
 *
 * @param open - Opens the page and waits until its content is there.
 * @returns Bytes, each script compressed with gzip by itself; a script that is asked for twice counts once.
 */
export async function weighScripts(page: Page, open: () => Promise<unknown>): Promise<number> {
  const urls = new Set<string>();
  let askedAtMs = performance.now();
  const onRequest = (request: Request): void => {
    if (request.resourceType() === "script") {
      urls.add(request.url());
      askedAtMs = performance.now();
    }
  };
  page.on("request", onRequest);
  try {
    await open();
    let leftMs = QUIET_MS;
    while (leftMs > 0) {
      await page.waitForTimeout(leftMs);
      leftMs = askedAtMs + QUIET_MS - performance.now();
    }
  } finally {
    page.off("request", onRequest);
  }
  const sizes = await Promise.all([...urls].map(weigh));
  return sizes.reduce((sum, size) => sum + size, 0);
}
