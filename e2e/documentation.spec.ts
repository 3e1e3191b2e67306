import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { watchPage } from "./support/watch-page.ts";

const PAGES = [
  "/docs",
  "/docs/gateway",
  "/docs/errors",
  "/docs/errors/rate-limited",
  "/docs/search?q=keys",
  "/v1/reference",
  "/v1/reference/tenants",
];

const OPERATIONS_KEPT = 20;

const instance = inject("sharedProduct");
let browser: TestBrowser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.context.newPage();
  try {
    await use(page);
  } finally {
    await page.close();
  }
}

/** Takes all but some operations and shapes out of the reference: one function draws them all, and axe needs a second for a few. */
async function keepFirstOperations(page: Page): Promise<void> {
  for (const kind of ["operation", "shape"]) {
    await page.locator(`section.${kind}`).evaluateAll((sections, kept) => {
      for (const section of sections.slice(kept)) {
        section.remove();
      }
    }, OPERATIONS_KEPT);
  }
}

describe("the documentation of a running instance", () => {
  it.each(PAGES)(
    "%s requests nothing from elsewhere and breaks no rule of its policy",
    async (path) => {
      await withPage(async (page) => {
        const trace = await watchPage(page, [instance.consoleUrl]);
        await page.goto(`${instance.consoleUrl}${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(trace).toEqual({
          consoleErrors: [],
          pageErrors: [],
          foreignRequests: [],
          policyViolations: [],
        });
      });
    },
  );

  it.each(PAGES)("%s is clean for axe in both themes", async (path) => {
    await withPage(async (page) => {
      await page.goto(`${instance.consoleUrl}${path}`);
      await keepFirstOperations(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const violations = await findAxeViolations(page, { rules: rulesIn(colorScheme) });
        expect({ colorScheme, violations }).toEqual({ colorScheme, violations: [] });
      }
    });
  });

  it.each(PAGES)("%s needs no sideways scrolling on a phone of 360 px", async (path) => {
    await withPage(async (page) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(`${instance.consoleUrl}${path}`);
      expect(await measureOverflowPx(page)).toBe(0);
    });
  });

  it("leads from a guide to an error, and from there to its operation in the reference", async () => {
    await withPage(async (page) => {
      await page.goto(`${instance.consoleUrl}/docs/gateway`);
      await page.getByRole("main").getByRole("link", { name: "QUOTA_EXCEEDED" }).click();
      await page.getByRole("heading", { name: "QUOTA_EXCEEDED" }).waitFor();
      await page.getByRole("banner").getByRole("link", { name: "API reference" }).click();
      await page.getByRole("link", { name: "Create a tenant" }).first().click();
      expect(new URL(page.url()).hash).toBe("#tenants.create");
      await page.getByText(`curl ${instance.consoleUrl}/v1/tenants`).first().waitFor();
    });
  });
});
