import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { registerOperator } from "./support/register-operator.ts";

const instance = inject("sharedProduct");
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
  page = await browser.context.newPage();
  await registerOperator(page, instance);
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
});

const at = (search: string) => `${instance.consoleUrl}/tenants${search}`;

async function createTenant(name: string): Promise<void> {
  await page.goto(at(""));
  await page.getByRole("button", { name: "Create tenant", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create a tenant" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create tenant" }).click();
  await page.getByText(`${name} is ready.`).waitFor();
}

/** Opens the question about the current tenant by keyboard. */
async function askToDelete(slug: string, name: string) {
  await page.goto(at(`?tab=settings&tenant=${slug}`));
  const button = page.getByRole("button", { name: "Delete tenant…" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("alertdialog", { name: `Delete ${name}?` });
  await dialog.waitFor();
  return dialog;
}

describe("deleting a tenant", () => {
  it("asks for the name, by keyboard, in both themes and on a phone, then goes on in the next tenant", async () => {
    await createTenant("Blue Heron");
    await createTenant("Grey Heron");
    const dialog = await askToDelete("grey-heron", "Grey Heron");
    for (const width of [360, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await measureOverflowPx(page)).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findAxeViolations(page, { rules: rulesIn(colorScheme) })).toEqual([]);
      }
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await askToDelete("grey-heron", "Grey Heron");
    await dialog.getByRole("textbox").fill("Blue Heron");
    await page.keyboard.press("Enter");
    await dialog.getByText("The name does not match.").waitFor();
    await dialog.getByRole("textbox").fill("Grey Heron");
    await page.keyboard.press("Enter");
    await page.getByText("Grey Heron is deleted.").waitFor();
    const own = page.getByRole("list", { name: "Your tenants" });
    await own.getByText("Blue Heron").waitFor();
    await own.getByText("Grey Heron").waitFor({ state: "detached" });
    await page.goto(`${instance.consoleUrl}/operator/tenants`);
    await page.getByRole("row").filter({ hasText: "Blue Heron" }).waitFor();
    expect(await page.getByRole("row").filter({ hasText: "Grey Heron" }).count()).toBe(0);
  });

  it("is taken back by an operator, who finds it among the deleted ones", async () => {
    await page.goto(`${instance.consoleUrl}/operator/tenants`);
    await page.getByRole("radio", { name: "Deleted" }).click();
    const restore = page.getByRole("button", { name: "Restore Grey Heron…" });
    await restore.waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("deleted");
    for (const width of [360, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await measureOverflowPx(page)).toBe(0);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findAxeViolations(page, { rules: rulesIn(colorScheme) })).toEqual([]);
      }
    }
    await restore.click();
    const dialog = page.getByRole("alertdialog", { name: "Restore Grey Heron?" });
    await dialog.getByRole("button", { name: "Restore tenant" }).click();
    await page.getByText("Grey Heron is restored.").waitFor();
    await page.getByText("No deleted tenants").waitFor();
    await page.goto(at(""));
    const own = page.getByRole("list", { name: "Your tenants" });
    await own.getByText("Grey Heron").waitFor();
    const dialogOfDeletion = await askToDelete("grey-heron", "Grey Heron");
    await dialogOfDeletion.getByRole("textbox").fill("Grey Heron");
    await page.keyboard.press("Enter");
    await page.getByText("Grey Heron is deleted.").waitFor();
  });

  it("takes the last one too: its person begins anew, under the same name", async () => {
    const dialog = await askToDelete("blue-heron", "Blue Heron");
    await dialog.getByRole("textbox").fill("Blue Heron");
    await page.keyboard.press("Enter");
    await page.getByText("Blue Heron is deleted.").waitFor();
    await page.getByRole("button", { name: "Create tenant", exact: true }).first().waitFor();
    await createTenant("Blue Heron");
    expect(new URL(page.url()).pathname).toBe("/tenants");
  });
});
