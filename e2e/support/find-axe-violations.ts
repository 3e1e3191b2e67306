import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Lists what axe finds on the page as it stands, one line a violation with the elements. Empty when it is clean. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => {
    const elements = nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`);
    return `${id}: ${elements.join("; ")}`;
  });
}
