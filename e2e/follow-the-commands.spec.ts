import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { startInstance } from "./support/instance.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND_DEADLINE_MS = 60_000;

it("reaches a call in the ledger by running what the page says, as it says it", async () => {
  await using instance = await startInstance();
  const commands = await readCommands(instance.consoleUrl);
  const [createTenant, createKey, call, usage] = commands;
  const run = (command = "", more: Record<string, string> = {}) =>
    runInShell(command, { ...instance.environment, ...more });

  await run(createTenant);
  const KEY = /tp_live_[0-9A-Za-z]{38}/.exec(await run(createKey))?.[0] ?? "";
  expect(KEY).not.toBe("");
  expect(await sendShownCall(call ?? "", KEY)).toBe(200);

  await expect
    .poll(async () => run(usage), { timeout: COMMAND_DEADLINE_MS, interval: 500 })
    .toMatch(/^\s*\W*\s*200\s+\W*\s*1\b/m);
});

async function readCommands(consoleUrl: string): Promise<string[]> {
  await using browser = await startBrowser();
  const page = await browser.context.newPage();
  await page.goto(consoleUrl);
  const card = page.getByRole("region", { name: "Getting started" });
  await card.waitFor();
  return await card.locator("figure code").allTextContents();
}

async function runInShell(command: string, variables: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    cwd: CHECKOUT,
    env: { ...process.env, ...variables },
    timeout: COMMAND_DEADLINE_MS,
  });
  return stdout;
}

/** Sends what the command sends: curl itself may be missing where the tests run. */
async function sendShownCall(command: string, key: string): Promise<number> {
  const [, name, value, url] = /^curl -H "([^:]+): ([^"]+)" "([^"]+)"$/.exec(command) ?? [];
  const answer = await fetch(url ?? "", {
    headers: { [name ?? ""]: (value ?? "").replace("$KEY", key) },
  });
  await answer.text();
  return answer.status;
}
