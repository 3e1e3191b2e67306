import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { openKeysOfNewTenant } from "./support/open-keys.ts";
import { runShell } from "./support/run-sample.ts";
import { watchPage } from "./support/watch-page.ts";

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Harbours", version: "2.1", description: "Depths of **4,000** harbours." },
  tags: [{ name: "Harbours", description: "Where ships rest." }],
  paths: {
    "/harbours/{id}": {
      put: {
        operationId: "putHarbour",
        summary: "Change a harbour",
        tags: ["Harbours"],
        parameters: [
          {
            name: "id",
            in: "path",
            required: true,
            schema: { type: "string" },
            example: "rotterdam",
          },
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Harbour" } } },
        },
        responses: { 200: { description: "The harbour." } },
      },
    },
  },
  components: {
    schemas: {
      Harbour: {
        type: "object",
        required: ["depth"],
        properties: { depth: { type: "number", example: 24.5 } },
      },
    },
  },
};

let folder: string;
let upstream: Server;
let instance: Instance;
let browser: TestBrowser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-reference-"));
  upstream = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      // As most APIs, it says nothing to pages of other sites.
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify({ path: req.url, body: Buffer.concat(chunks).toString() }));
    });
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  await writeFile(join(folder, "openapi.json"), JSON.stringify(DOCUMENT));
  const config = join(folder, "turnpike.yaml");
  await writeFile(
    config,
    JSON.stringify({
      brand: { name: "Acme Harbours" },
      upstreams: [
        {
          name: "harbours",
          url: `http://127.0.0.1:${String(port)}`,
          openapi: { file: "openapi.json" },
        },
      ],
    }),
  );
  instance = await startInstance({ TURNPIKE_CONFIG: config });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  upstream?.close();
  await rm(folder, { recursive: true, force: true });
});

async function findFaults(page: Page): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await findAxeViolations(page, { rules: rulesIn(colorScheme) })));
  }
  await page.setViewportSize({ width: 360, height: 740 });
  const overflowPx = await measureOverflowPx(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  return overflowPx === 0 ? faults : [...faults, { overflowPx }];
}

describe("the reference of the operator's own API", () => {
  it("asks visitors to sign in, where the documentation of the site leads to it", async () => {
    const page = await browser.context.newPage();
    await page.goto(instance.consoleUrl);
    await page.getByRole("link", { name: "Read the docs" }).click();
    await page.getByRole("heading", { name: "Sign in to read the reference" }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(await page.getByText("Turnpike").count()).toBe(0);
    await page.close();
  });

  it("opens from Quickstart, and sends a call through the gateway with the person's own key", async () => {
    const page = await browser.context.newPage();
    await openKeysOfNewTenant(page, instance.consoleUrl);
    await page.goto(`${instance.consoleUrl}/quickstart`);
    await page.getByRole("main").getByRole("button", { name: "Create key" }).click();
    const shown = page.getByText(/tp_live_\w+/).first();
    const [key = ""] = /tp_live_\w+/.exec((await shown.textContent()) ?? "") ?? [];
    await page.getByRole("button", { name: "Open the reference" }).click();
    await page.getByRole("heading", { level: 1, name: "Harbours" }).waitFor();

    const trace = await watchPage(page, [instance.consoleUrl, instance.gatewayUrl]);
    await page.getByRole("link", { name: "PUT Change a harbour" }).first().click();
    await page.getByText(`${instance.gatewayUrl}/harbours/rotterdam`).first().waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByText("Try it").click();
    await page.getByLabel("Your API key").fill(key);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("200 OK").waitFor();
    const answer = await page.getByRole("status").textContent();
    expect(answer).toContain('"path": "/harbours/rotterdam"');
    expect(answer).toContain("24.5");
    expect(answer).toContain("x-request-id: ");
    expect(await findFaults(page)).toEqual([]);

    await page.getByLabel("Your API key").fill("tp_live_wrong");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("INVALID_KEY").waitFor();
    expect(trace).toMatchObject({ pageErrors: [], foreignRequests: [], policyViolations: [] });
    await page.close();
  });

  it("is what Quickstart offers as a first call, with a body and any method", async () => {
    // A person of their own, who has called nothing yet.
    await using fresh = await startBrowser();
    const page = await fresh.context.newPage();
    await openKeysOfNewTenant(page, instance.consoleUrl);
    await page.goto(`${instance.consoleUrl}/quickstart`);
    await page.getByRole("main").getByRole("button", { name: "Create key" }).click();
    await page
      .getByText(/tp_live_\w+/)
      .first()
      .waitFor();
    const call = page.getByRole("combobox", { name: "Call" });
    expect(await call.textContent()).toBe("GET /");
    await call.click();
    await page.getByRole("combobox", { name: "Search calls" }).fill("change");
    await page.getByRole("option", { name: "PUT /harbours/{id}" }).click();
    const sample = page.getByRole("tabpanel");
    await sample.getByText("depth").waitFor();
    expect(await page.getByLabel("Path to call").inputValue()).toBe("/harbours/rotterdam");
    expect(await findFaults(page)).toEqual([]);
    const answer = await runShell((await sample.locator("code").textContent()) ?? "");
    expect(answer).toContain("HTTP/1.1 200 OK");
    expect(answer).toContain("24.5");
    await page.getByText("Your first call has arrived.").waitFor();
  });
});
