import type { Page } from "playwright-core";

/** A person with an account at the built-in provider. */
export type Person = { email: string; password: string };

let made = 0;

/** Makes up a person whom no other test knows. */
export function makePerson(): Person {
  made += 1;
  return {
    email: `person-${String(process.pid)}-${String(made)}@example.com`,
    password: "plum-orbit-93-lantern",
  };
}

/**
 * Creates an account by the form, as a person would, and waits until the console lets them in.
 *
 * @param url - Of the registration page; the setup link makes the person the operator, an invitation brings the address.
 */
export async function registerPerson(page: Page, url: string, person: Person): Promise<void> {
  await page.goto(url);
  if (new URL(url).hash.startsWith("#invitation=")) {
    await page.getByText("The invitation is for this address.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(person.password);
  } else {
    await fillIn(page, person);
  }
  await page.getByRole("button", { name: "Create account" }).click();
  await waitUntilSignedIn(page);
}

/** Signs in by the form on the page that is open. */
export async function signInHere(page: Page, person: Person): Promise<void> {
  await fillIn(page, person);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await waitUntilSignedIn(page);
}

async function fillIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
}

async function waitUntilSignedIn(page: Page): Promise<void> {
  await page.waitForURL(({ pathname }) => pathname !== "/login" && pathname !== "/register");
}
