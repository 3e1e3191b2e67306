import { pollUntil } from "@turnpike/testkit/poll-until";
import type { Page } from "playwright-core";

/** Waits until the console's scripts have taken over a page that the server sent: React marks what it has taken over. */
export async function waitUntilHydrated(page: Page): Promise<void> {
  const script =
    "Object.keys(document.querySelector('#root').firstElementChild ?? {}).some((key) => key.startsWith('__react'))";
  await pollUntil("the page is taken over", () => page.evaluate<boolean>(script));
}
