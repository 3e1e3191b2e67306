import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import {
  type ForeignProvider,
  passForeignProvider,
  startForeignProvider,
} from "./support/foreign-provider.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { watchPage } from "./support/watch-page.ts";

let folder: string;
let provider: ForeignProvider;
let instance: Instance;
let browser: TestBrowser;

beforeAll(async () => {
  provider = await startForeignProvider();
  folder = await mkdtemp(join(tmpdir(), "turnpike-third-party-"));
  const config = join(folder, "turnpike.yaml");
  const { issuer, clientId } = provider;
  await writeFile(
    config,
    JSON.stringify({
      identity: { providers: [{ id: "corp", name: "Acme Corp", issuer, clientId }] },
    }),
  );
  instance = await startInstance({ TURNPIKE_CONFIG: config });
  provider.trust(instance.consoleUrl);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  // Signs out of the provider.
  await browser.context.clearCookies();
});

async function continueWithCorp(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Continue with Acme Corp" }).click();
}

describe("signing in through another provider", () => {
  it("leads there and back to where the person wanted to go, without a broken policy, and lasts over a reload", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [instance.consoleUrl, provider.issuer]);
    await page.goto(`${instance.consoleUrl}/plans`);
    await page.waitForURL(`${instance.consoleUrl}/login`);
    await continueWithCorp(page);
    await page.waitForURL((url) => url.origin === provider.issuer);
    const verified = page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    await passForeignProvider(page, "ada");
    await page.waitForURL(`${instance.consoleUrl}/plans`);

    const answer: unknown = await (await verified).json();
    expect(answer).toMatchObject({
      user: { email: "ada@corp.example", emailVerified: true, name: "ada", isOperator: false },
    });
    await page.reload();
    await page.waitForResponse(`${instance.consoleUrl}/auth/verify`);
    expect(page.url()).toBe(`${instance.consoleUrl}/plans`);
    expect(trace.policyViolations).toEqual([]);
    await page.evaluate("localStorage.clear()");
    await page.close();
  });

  it("says in a plain sentence that the person cancelled, and offers the way again", async () => {
    const page = await browser.context.newPage();
    await page.goto(`${instance.consoleUrl}/login`);
    await continueWithCorp(page);
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/login");
    await page
      .getByText(/cancel/i)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Continue with Acme Corp" }).waitFor();
    await page.close();
  });

  it("refuses an answer to a sign-in that another tab started", async () => {
    const page = await browser.context.newPage();
    await page.goto(`${instance.consoleUrl}/login?code=stolen&state=other&iss=${provider.issuer}`);
    await page.getByRole("alert").waitFor();
    expect(await page.evaluate<string | null>(`localStorage.getItem("session")`)).toBeNull();
    expect(new URL(page.url()).search).toBe("");
    await page.close();
  });
});
