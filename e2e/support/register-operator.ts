import { pollUntil } from "@turnpike/testkit/poll-until";
import { startProgram } from "@turnpike/testkit/program";
import type { Page } from "playwright-core";
import type { SharedProduct } from "./shared-product.ts";
import { makePerson, registerPerson } from "./sign-in.ts";

/** Registers a person, makes them an operator by the command line, and waits until the console knows. */
export async function registerOperator(page: Page, product: SharedProduct): Promise<void> {
  const person = makePerson();
  await registerPerson(page, `${product.consoleUrl}/register`, person);
  const { code, stderr } = await startProgram({
    script: "apps/server/src/cli/main.ts",
    args: ["operators", "add", person.email],
    env: { ...product.environment },
  }).ended;
  if (code !== 0) {
    throw new Error(`turnpike operators add ended with ${String(code)}:\n${stderr}`);
  }
  await pollUntil("the console knows the operator", async () => {
    const [verified] = await Promise.all([
      page.waitForResponse(`${product.consoleUrl}/auth/verify`),
      page.goto(`${product.consoleUrl}/overview`),
    ]);
    const { user } = (await verified.json()) as { user: { isOperator: boolean } };
    return user.isOperator;
  });
}
