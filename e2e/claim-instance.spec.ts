import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});

afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
});

/** Opens the setup link as a new person, and returns what the service then says about them. */
async function claimAsNewPerson(browser: TestBrowser): Promise<{ said: string; user: unknown }> {
  const page = await browser.context.newPage();
  // By another name of the same machine: the page moves to the console's own address and keeps the code.
  await page.goto(instance.setupLink().replace("//localhost:", "//127.0.0.1:"));
  await page.waitForURL(`${instance.consoleUrl}/register`);
  await registerPerson(page, instance.setupLink(), makePerson());
  const said = await page.locator("[data-sonner-toast] [data-title]").textContent();
  const kept = await page.evaluate<string>(
    "JSON.stringify({ ...sessionStorage, ...localStorage })",
  );
  expect(kept).not.toContain(new URL(instance.setupLink()).hash.slice("#setup=".length));
  const next = await browser.context.newPage();
  const [verified] = await Promise.all([
    next.waitForResponse(`${instance.consoleUrl}/auth/verify`),
    next.goto(`${instance.consoleUrl}/overview`),
  ]);
  const answer: { user: unknown } = await verified.json();
  return { said: said ?? "", user: answer.user };
}

describe("the setup link of a fresh installation", () => {
  it("shows its notice without moving the form, also one that is followed while the page loads", async () => {
    await using browser = await startBrowser();
    const page = await browser.context.newPage();
    const devTools = await browser.context.newCDPSession(page);
    await devTools.send("Emulation.setCPUThrottlingRate", { rate: 6 });
    const button = page.getByRole("button", { name: "Create account" });
    const link = (code: string) => `${instance.consoleUrl}/register#setup=${code.repeat(40)}`;
    await page.goto(link("a"), { waitUntil: "commit" });
    const before = await button.boundingBox();
    await page.goto(link("b"));
    await page.getByText("This setup link does not work").waitFor();
    await page.waitForURL(`${instance.consoleUrl}/register`);
    const after = await button.boundingBox();
    // A typeface that comes late moves it by a few pixels.
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? Number.NaN))).toBeLessThan(20);
    expect(await page.evaluate("sessionStorage.getItem('arrival-setup')")).toBe("b".repeat(40));
  });

  it("makes only the first person the operator, and leaves no trace", async () => {
    const [first, second] = [await startBrowser(), await startBrowser()];
    try {
      expect(await claimAsNewPerson(first)).toMatchObject({
        said: "You are now the operator of this installation.",
        user: { isOperator: true },
      });
      const late = await claimAsNewPerson(second);
      expect(late).toMatchObject({ user: { isOperator: false } });
      expect(late.said).not.toContain("You are the operator");
    } finally {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    }
  });
});
