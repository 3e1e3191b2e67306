import type { Page } from "playwright-core";
import { makePerson, registerPerson } from "./sign-in.ts";

/** Registers a person, creates a tenant from the keys screen, and waits for the empty list. */
export async function openKeysOfNewTenant(page: Page, consoleUrl: string): Promise<void> {
  await registerPerson(page, `${consoleUrl}/register`, makePerson());
  await page.goto(`${consoleUrl}/api-keys`);
  await page.getByRole("main").getByRole("button", { name: "Create tenant" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Acme");
  await page.keyboard.press("Enter");
  await page.getByText("No API keys yet").waitFor();
}
