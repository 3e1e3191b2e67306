import type { Page } from "playwright-core";

/** What a page did that a clean page does not do. */
export type PageTrace = {
  consoleErrors: string[];
  pageErrors: string[];
  /** Requests to other origins than the allowed ones. */
  foreignRequests: string[];
  /** The directives of the content security policy that something broke. */
  policyViolations: string[];
};

/**
 * Writes down what goes wrong on a page from its next navigation on.
 *
 * @param origins - Where the page may ask, such as `http://localhost:3000`.
 */
export async function watchPage(page: Page, origins: readonly string[]): Promise<PageTrace> {
  const trace: PageTrace = {
    consoleErrors: [],
    pageErrors: [],
    foreignRequests: [],
    policyViolations: [],
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      trace.consoleErrors.push(message.text());
    }
  });
  page.on("pageerror", (error) => trace.pageErrors.push(error.message));
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (!origins.includes(origin)) {
      trace.foreignRequests.push(request.url());
    }
  });
  await page.exposeFunction("reportPolicyViolation", (directive: string) => {
    trace.policyViolations.push(directive);
  });
  await page.addInitScript(`
    document.addEventListener("securitypolicyviolation", (event) => {
      reportPolicyViolation(event.effectiveDirective + " " + event.blockedURI);
    });
  `);
  return trace;
}
