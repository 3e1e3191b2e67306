import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OAuth2Server } from "oauth2-mock-server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations } from "./support/find-axe-violations.ts";
import { type Instance, startInstance } from "./support/instance.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { type NameServer, startNameServer } from "./support/name-server.ts";
import { makePerson, registerPerson } from "./support/sign-in.ts";
import { waitUntilHydrated } from "./support/wait-until-hydrated.ts";

const DEADLINE_MS = 600_000;

let folder: string;
let names: NameServer;
let provider: OAuth2Server;
let instance: Instance;
let browser: TestBrowser;
/** Of the customer's people. */
let other: TestBrowser;
let owner: Page;
/** The person that the provider names. */
let person = { sub: "bo", email: "bo@acme.example", name: "Bo Customer" };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-sso-"));
  [names, provider] = [await startNameServer(), new OAuth2Server()];
  await provider.issuer.keys.generate("RS256");
  await provider.start(0, "127.0.0.1");
  provider.service.on("beforeTokenSigning", (token: { payload: object }) => {
    Object.assign(token.payload, person);
  });
  const config = join(folder, "turnpike.yaml");
  const singleSignOn = { allowPrivate: ["127.0.0.1", "localhost"], nameServers: [names.address] };
  await writeFile(config, JSON.stringify({ identity: { singleSignOn } }));
  instance = await startInstance({ TURNPIKE_CONFIG: config });
  [browser, other] = [await startBrowser(), await startBrowser()];
}, DEADLINE_MS);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
  await instance?.[Symbol.asyncDispose]();
  await provider?.stop();
  await names?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}, DEADLINE_MS);

describe("a customer's own single sign-on", () => {
  it(
    "is set up by an owner, and signs the first member in",
    async () => {
      owner = await browser.context.newPage();
      await registerPerson(owner, `${instance.consoleUrl}/register`, makePerson());
      await owner.goto(`${instance.consoleUrl}/tenants`);
      await owner.getByRole("button", { name: "Create tenant" }).first().click();
      await owner.getByLabel("Name").fill("Acme");
      await owner.getByRole("dialog").getByRole("button", { name: "Create tenant" }).click();
      await owner.getByRole("dialog").waitFor({ state: "hidden" });
      await owner.goto(`${instance.consoleUrl}/tenants?tab=sso&tenant=acme`);

      // The record is not there yet, and then it is.
      await owner.getByRole("textbox", { name: "Domain" }).fill("Acme.example");
      await owner.getByRole("button", { name: "Add domain" }).click();
      const check = owner.getByRole("button", { name: "Check the record of acme.example" });
      await check.click();
      await owner.getByText("no TXT record is there yet").waitFor();
      const textOf = async (name: string) =>
        ((await owner.getByRole("figure", { name }).locator("code").textContent()) ?? "").trim();
      names.records.set(await textOf("Name of the record"), await textOf("Value of the record"));
      await check.click();
      await owner.getByText("Proven", { exact: true }).waitFor();

      await owner.getByRole("textbox", { name: "Issuer" }).fill("http://127.0.0.1:1/none");
      await owner.getByRole("textbox", { name: "Client id" }).fill("turnpike");
      await owner.getByRole("textbox", { name: "Name", exact: true }).fill("Acme login");
      await owner.getByRole("button", { name: "Save" }).click();
      await owner.getByText("Single sign-on was not saved.").waitFor();
      await owner.getByRole("textbox", { name: "Issuer" }).fill(provider.issuer.url ?? "");
      await owner.getByRole("button", { name: "Save" }).click();
      await owner.getByText("On", { exact: true }).waitFor();
      expect(await findAxeViolations(owner)).toEqual([]);
      await owner.setViewportSize({ width: 360, height: 740 });
      expect(await measureOverflowPx(owner)).toBe(0);

      const member = await other.context.newPage();
      await member.goto(`${instance.consoleUrl}/login`);
      await waitUntilHydrated(member);
      await member.getByLabel("E-mail address").fill("bo@acme.example");
      await member.getByRole("button", { name: "Use single sign-on" }).click();
      expect(await member.getByLabel("E-mail address").inputValue()).toBe("bo@acme.example");
      await member.getByRole("button", { name: "Continue" }).click();
      await member.waitForURL(/\/(overview|quickstart)/);
      await member.getByText("Acme").first().waitFor();

      await owner.reload();
      await owner.getByText("Last sign-in").waitFor();
      expect(await owner.getByText("None yet").count()).toBe(0);
    },
    DEADLINE_MS,
  );

  it(
    "lets the customer's directory add a person and end their access",
    async () => {
      await owner.setViewportSize({ width: 1280, height: 800 });
      await owner.getByRole("button", { name: "Create token" }).click();
      const dialog = owner.getByRole("dialog", { name: "Your directory’s token" });
      const secret = (await dialog.locator("code").first().textContent())?.trim() ?? "";
      await dialog.getByRole("button", { name: "I have stored it" }).click();
      await owner.getByText("Waiting for the directory").waitFor();
      const send = async (method: string, path: string, body: object) => {
        const response = await fetch(`${instance.consoleUrl}/scim/v2${path}`, {
          method,
          headers: {
            authorization: `Bearer ${secret}`,
            "content-type": "application/scim+json",
          },
          body: JSON.stringify(body),
        });
        return { status: response.status, json: (await response.json()) as { id: string } };
      };

      person = { sub: "cy", email: "cy@acme.example", name: "Cy Customer" };
      const created = await send("POST", "/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: person.email,
        emails: [{ value: person.email, primary: true }],
        active: true,
      });
      expect(created.status).toBe(201);
      await using third = await startBrowser();
      const member = await third.context.newPage();
      await member.goto(`${instance.consoleUrl}/login`);
      await waitUntilHydrated(member);
      await member.getByLabel("E-mail address").fill(person.email);
      await member.getByRole("button", { name: "Use single sign-on" }).click();
      await member.getByRole("button", { name: "Continue" }).click();
      await member.waitForURL(/\/(overview|quickstart)/);
      await member.getByText("Acme").first().waitFor();

      const stranger = await send("POST", "/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: "eve@other.example",
      });
      expect(stranger.status).toBe(400);
      const ended = await send("PATCH", `/Users/${created.json.id}`, {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "Replace", path: "active", value: "False" }],
      });
      expect(ended.status).toBe(200);
      await member.reload();
      await member.getByText("You have no tenant yet").first().waitFor();

      await owner.reload();
      await owner.getByText("Connected", { exact: true }).waitFor();
      await owner.getByText("eve@other.example").waitFor();
      expect(await findAxeViolations(owner)).toEqual([]);
      await owner.setViewportSize({ width: 360, height: 740 });
      expect(await measureOverflowPx(owner)).toBe(0);
      await owner.getByRole("button", { name: /Revoke the token/ }).click();
      await owner.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
      await owner.getByText("The token was revoked.").waitFor();
      expect((await send("POST", "/Users", {})).status).toBe(401);
    },
    DEADLINE_MS,
  );
});
