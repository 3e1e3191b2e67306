import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Lists what axe finds on the page as it stands, one line a violation with the elements. Empty when it is clean. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  // What passes is not described: selectors for thousands of elements take most of the time.
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ["violations"] })
    .analyze();
  return violations.map(({ id, nodes }) => {
    const elements = nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`);
    return `${id}: ${elements.join("; ")}`;
  });
}
