import type { PrerenderedPage } from "@turnpike/contract/public-pages";

/**
 * Reads what the server embedded in a page that it rendered.
 *
 * By element and type, because a heading of an operator's text may carry any id.
 *
 * @returns Undefined on a page that the browser renders itself.
 */
export function readPrerendered(page: Document): PrerenderedPage | undefined {
  const element = page.querySelector('script[type="application/json"]#prerendered');
  if (element === null || page.querySelector("#root[data-prerendered]") === null) {
    return;
  }
  const value: unknown = JSON.parse(element.textContent);
  return isPrerenderedPage(value) ? value : undefined;
}

/** The element is written by our own server; this tells it from a page of another version. */
function isPrerenderedPage(value: unknown): value is PrerenderedPage {
  return (
    typeof value === "object" &&
    value !== null &&
    "path" in value &&
    "config" in value &&
    "content" in value
  );
}
