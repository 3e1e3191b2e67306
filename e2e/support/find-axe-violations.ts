import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Rules whose answer depends on the theme. The others look at structure, which is the same in both. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

type Rules = "all" | "colours";

/** The rules to look at a page by that is looked at in both themes: those of structure once, in the light one. */
export function rulesIn(theme: "light" | "dark"): Rules {
  return theme === "light" ? "all" : "colours";
}

/**
 * Lists what axe finds on the page as it stands, one line a violation with the elements.
 *
 * @param input.rules - `colours` for a second theme of a page whose structure was looked at.
 * @returns Empty when it is clean.
 */
export async function findAxeViolations(
  page: Page,
  { rules = "all" }: { rules?: Rules } = {},
): Promise<string[]> {
  // A document that was looked at has the code of axe, which takes longer to read than most pages to look at.
  const isLoaded = await page.evaluate<boolean>(`"axe" in window`);
  // What passes is not described: selectors for thousands of elements take most of the time.
  const builder = new AxeBuilder({ page, ...(isLoaded ? { axeSource: ";" } : {}) })
    .options({ resultTypes: ["violations"] })
    // Without frames of other origins nothing has to be put together on a blank page.
    .setLegacyMode(true);
  const { violations } = await (rules === "all"
    ? builder
    : builder.withRules(COLOUR_RULES)
  ).analyze();
  return violations.map(({ id, nodes }) => {
    const elements = nodes.map((node) => `${node.html} ${node.failureSummary ?? ""}`);
    return `${id}: ${elements.join("; ")}`;
  });
}
