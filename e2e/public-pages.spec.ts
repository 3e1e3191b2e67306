import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { askThroughNginx, findProgram, runFile, runShell } from "./support/run-sample.ts";
import { waitUntilHydrated } from "./support/wait-until-hydrated.ts";
import { type PageTrace, watchPage } from "./support/watch-page.ts";

const PATHS = ["/", "/login", "/register", "/terms", "/privacy"] as const;
const THEMES = ["light", "dark"] as const;
const CLEAN: PageTrace = {
  consoleErrors: [],
  pageErrors: [],
  foreignRequests: [],
  policyViolations: [],
};

/** What an author would write to get more than text onto the page. */
const HOSTILE_TERMS = `<!-- updated: 2026-03-04 -->
# Terms of *Acme* <img src=x onerror=alert(1)>

## Scope & </script><script>document.title = "taken"</script>

Read [this](javascript:alert(1)), [that](https://example.com/terms) and <b onclick="alert(1)">bold</b>.

<script>document.title = "taken"</script>

<style>body { display: none }</style>

## Scope & more
## root

Questions: {{contact}}, {{operator}}.
`;

let home: ProductHome;
let folder: string;
let browser: TestBrowser;
let site: string;
let gateway: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-public-"));
  await writeFile(join(folder, "terms.md"), HOSTILE_TERMS);
  await writeFile(
    join(folder, "turnpike.yaml"),
    `brand: { name: "Acme <Maps> & Co", accent: "#2f7de1" }
legal: { terms: terms.md, operator: "Acme_Maps Ltd", contact: "legal@acme.example" }
`,
  );
  home = await makeProductHome({ TURNPIKE_CONFIG: join(folder, "turnpike.yaml") });
  const server = await home.startServer();
  site = `http://localhost:${String(server.port)}`;
  gateway = `http://localhost:${String(server.gatewayPort)}`;
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function readPage(path: string): Promise<string> {
  const answer = await fetch(site + path);
  expect(answer.status).toBe(200);
  return await answer.text();
}

function unescapeHtml(text: string): string {
  const signs: Record<string, string> = {
    "&quot;": '"',
    "&#x27;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
  };
  return text.replace(/&(?:quot|#x27|lt|gt|amp);/g, (entity) => signs[entity] ?? entity);
}

function findMeta(page: string, name: string): string | undefined {
  const tag = new RegExp(
    `<(?:meta (?:name|property)="${name}" content|link rel="${name}" href)="([^"]*)"`,
  );
  const value = tag.exec(page)?.[1];
  return value === undefined ? undefined : unescapeHtml(value.replaceAll("&#39;", "'"));
}

describe("a visitor without scripts", () => {
  let scriptless: TestBrowser;
  beforeAll(async () => {
    scriptless = await startBrowser({ isScriptless: true });
  });
  afterAll(() => scriptless[Symbol.asyncDispose]());

  async function open(path: string): Promise<Page> {
    const page = await scriptless.context.newPage();
    await page.goto(site + path);
    return page;
  }

  it("reads the whole landing page, and chooses the language of the sample", async () => {
    const page = await open("/");
    await page.getByRole("heading", { level: 1, name: /Acme <Maps> & Co API/ }).waitFor();
    for (const plan of ["Free", "Pro", "Scale"]) {
      await page.getByRole("heading", { level: 3, name: plan, exact: true }).waitFor();
    }
    await page.getByText("50,000 requests a month").waitFor();
    const python = page.getByRole("figure", { name: "The call in Python" });
    expect(await python.isVisible()).toBe(false);
    await page.getByRole("radio", { name: "Python" }).check({ force: true });
    expect(await python.isVisible()).toBe(true);
    expect(await page.getByRole("figure", { name: "The call in curl" }).isVisible()).toBe(false);
    await page.close();
  });

  it("reads terms and privacy, and finds each section from the table of contents", async () => {
    const page = await open("/privacy");
    await page.getByRole("heading", { level: 1, name: "Privacy notice" }).waitFor();
    const contents = page.getByRole("navigation", { name: "On this page" });
    const targets = await contents.getByRole("link").all();
    expect(targets.length).toBeGreaterThan(5);
    for (const link of targets) {
      const href = (await link.getAttribute("href")) ?? "";
      expect(await page.locator(`h2${href}`).count()).toBe(1);
    }
    await page.close();
  });

  it.each(["/login", "/register"])(
    "sees the form of %s, and why it needs scripts",
    async (path) => {
      const page = await open(path);
      await page.getByLabel("E-mail address").waitFor();
      await page.getByLabel("Password", { exact: true }).waitFor();
      const reason = page.locator("main noscript p", { hasText: "Signing in needs JavaScript" });
      expect(await reason.isVisible()).toBe(true);
      await page.close();
    },
  );
});

describe("search engines and previews", () => {
  it.each(PATHS)("find title, description, address and picture of %s", async (path) => {
    const page = await readPage(path);
    const title = unescapeHtml(/<title>([^<]+)<\/title>/.exec(page)?.[1] ?? "");
    expect(title).toContain("Acme <Maps> & Co");
    expect(page).toContain('<html lang="en">');
    expect(findMeta(page, "description")?.length).toBeGreaterThan(40);
    expect(findMeta(page, "canonical")).toBe(site + path);
    expect(findMeta(page, "og:title")).toBe(title);
    expect(findMeta(page, "robots")).toBe(undefined);
    const picture = await fetch(findMeta(page, "og:image") ?? "");
    expect(picture.headers.get("content-type")).toBe("image/png");
    const bytes = Buffer.from(await picture.arrayBuffer());
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
  });

  it("keep search engines out of what needs a sign-in, and list the rest", async () => {
    for (const path of ["/overview", "/api-keys", "/login?error=sign_in_expired"]) {
      expect(findMeta(await readPage(path), "robots")).toBe("noindex");
    }
    const robots = await readPage("/robots.txt");
    expect(robots).toContain(`Sitemap: ${site}/sitemap.xml`);
    const sitemap = await readPage("/sitemap.xml");
    const addresses = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
    for (const address of addresses) {
      expect((await fetch(address ?? "")).status, address).toBe(200);
    }
    expect(sitemap).toContain(`<loc>${site}/terms</loc><lastmod>2026-03-04</lastmod>`);
  });
});

describe("the pages as they are sent", () => {
  it.each(PATHS)(
    "hold no inline script, style or handler on %s, and answer 304 to who has them",
    async (path) => {
      const answer = await fetch(site + path);
      const page = await answer.text();
      const tags = page.replace(/"[^"]*"/g, '""');
      expect(tags).not.toMatch(/<style|<[a-z][^>]*\sstyle=|<[a-z][^>]*\son[a-z]+=/i);
      const scripts = [...page.matchAll(/<script([^>]*)>/g)].map(
        ([, attributes]) => attributes ?? "",
      );
      expect(scripts.filter((one) => !/\ssrc=|type="application\/json"/.test(one))).toEqual([]);
      expect(answer.headers.get("content-security-policy")).toContain("script-src 'self';");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
      const again = await fetch(site + path, {
        headers: { "if-none-match": answer.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
    },
  );

  it("show a plan that is published now within seconds, and a private one never", async () => {
    const catalog = join(folder, "catalog.yaml");
    await writeFile(
      catalog,
      `plans:
  - { planId: launch, name: "Launch </script> offer", pricePerMonth: "9.90", currency: EUR }
  - { planId: secret, name: Only for Bob, visibility: private }
`,
    );
    const applied = await home.turnpike("catalog", "apply", catalog);
    expect(applied.code, applied.stderr).toBe(0);
    const page = await pollUntil("the new plan is shown", async () => {
      const text = await readPage("/");
      return text.includes("Launch &lt;/script&gt; offer") ? text : undefined;
    });
    expect(page).toContain("€9.90");
    expect(page).not.toContain("Only for Bob");
    const plans = await fetch(`${site}/v1/plans`);
    expect(JSON.stringify(await plans.json())).not.toContain("Only for Bob");
  });
});

describe.each(THEMES)("in the %s theme", (theme) => {
  it.each(PATHS)(
    "%s is taken over without a difference, breaks no policy, and is clean for axe",
    async (path) => {
      const page = await browser.context.newPage();
      await page.emulateMedia({ colorScheme: theme });
      const trace = await watchPage(page, [site]);
      await page.goto(site + path);
      const sent = await page.locator("h1").textContent();
      await waitUntilHydrated(page);

      expect(await page.locator("h1").textContent()).toBe(sent);
      expect(trace).toEqual(CLEAN);
      expect(await findAxeViolations(page, { rules: rulesIn(theme) })).toEqual([]);
      const ground = await page.evaluate<string>(
        "getComputedStyle(document.documentElement).backgroundColor",
      );
      expect(Number(/^oklch\(([\d.]+)/.exec(ground)?.[1]) > 0.5).toBe(theme === "light");
      await page.close();
    },
  );

  it.each(PATHS)("%s needs no sideways scrolling at 360 px", async (path) => {
    const page = await browser.context.newPage();
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(site + path);
    expect(await measureOverflowPx(page)).toBe(0);
    await page.close();
  });
});

describe("an operator's own terms", () => {
  it("are shown as text and links, with anything in them", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [site]);
    await page.goto(`${site}/terms`);
    await waitUntilHydrated(page);

    expect(trace).toEqual(CLEAN);
    expect(await page.title()).not.toBe("taken");
    await page.getByRole("heading", { level: 1, name: /^Terms of Acme/ }).waitFor();
    await page.getByText("March 4, 2026").waitFor();
    const article = page.getByRole("article");
    expect(await article.locator("script, style, img, b").count()).toBe(0);
    expect(await article.locator("[onclick], [onerror], [style]").count()).toBe(0);
    const hrefs = await page.evaluate<string[]>(
      "[...document.querySelectorAll('article a')].map((link) => link.getAttribute('href'))",
    );
    expect(hrefs.filter((href) => !href.startsWith("#"))).toEqual([
      "https://example.com/terms",
      "mailto:legal@acme.example",
    ]);
    await article.getByText("Acme_Maps Ltd").waitFor();
    await page.close();
  });

  it("are shown when a script opens the page, and no other text becomes HTML by one", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [site]);
    await page.goto(`${site}/privacy`);
    await waitUntilHydrated(page);
    await page.getByRole("link", { name: "Terms" }).first().click();
    await page.getByRole("heading", { level: 1, name: /^Terms of Acme/ }).waitFor();
    await page.getByRole("article").getByText("Acme_Maps Ltd").waitFor();
    expect(trace).toEqual(CLEAN);
    const write = "document.createElement('p').innerHTML = '<img src=x>'";
    await expect(page.evaluate(write)).rejects.toThrow("TrustedHTML");
    await page.close();
  });
});

describe("the samples of the landing page", () => {
  async function readSamples(): Promise<Map<string, string>> {
    const matches = (await readPage("/")).matchAll(/<code data-sample="(\w+)">([^<]*)<\/code>/g);
    return new Map([...matches].map(([, id = "", code = ""]) => [id, unescapeHtml(code)]));
  }

  async function createKey(): Promise<string> {
    const tenant = await home.turnpike("tenants", "create", "--name", "Samples", "--json");
    const { slug } = JSON.parse(tenant.stdout) as { slug: string };
    const key = await home.turnpike(
      "keys",
      "create",
      "--tenant",
      slug,
      "--name",
      "sample",
      "--json",
    );
    return (JSON.parse(key.stdout) as { key: string }).key;
  }

  it("run as they stand, once the key is put in", async () => {
    const samples = await readSamples();
    expect([...samples.keys()]).toEqual(["curl", "typescript", "python", "nginx"]);
    const key = await createKey();
    const withKey = (id: string) => (samples.get(id) ?? "").replace("YOUR_KEY", key);
    const answer = { id: "berlin", name: "Berlin" };

    const curl = await runShell(withKey("curl"));
    expect(curl).toMatch(/^HTTP\/1.1 200 /);
    expect(JSON.parse(curl.slice(curl.indexOf("\r\n\r\n")))).toMatchObject(answer);

    const env = { API_KEY: key };
    const node = { program: process.execPath, name: "sample.ts", code: withKey("typescript"), env };
    expect(await runFile(node)).toContain("name: 'Berlin'");

    const python3 = await findProgram("python3");
    if (python3 !== undefined) {
      const python = { program: python3, name: "sample.py", code: withKey("python"), env };
      expect(await runFile(python)).toContain("'name': 'Berlin'");
    }

    const nginx = await findProgram("nginx");
    if (nginx !== undefined) {
      const block = withKey("nginx");
      const asked = { nginx, serverBlock: block, path: "/v1/cities/berlin" };
      expect(await (await askThroughNginx(asked)).json()).toMatchObject(answer);
    }
    expect(samples.get("curl")).toContain(gateway);
  });
});

describe("a visitor who only reads", () => {
  it("loads the application once they reach for a form, and not before", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [site]);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const findAsked = (name: RegExp) => asked.find((path) => name.test(path));
    await page.goto(`${site}/`);
    await waitUntilHydrated(page);
    expect(findAsked(/\/reading-/)).toBeDefined();
    expect(findAsked(/\/application-[^/]*\.js$/)).toBe(undefined);
    await page.getByRole("link", { name: "Sign in" }).hover();
    await pollUntil("the form is on its way", () =>
      Promise.resolve(findAsked(/\/application-[^/]*\.js$/) && findAsked(/\/sign-in-/)),
    );
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL(`${site}/login`);
    await page.getByLabel("E-mail address").waitFor();
    expect(trace).toEqual(CLEAN);
    await page.close();
  });
});

describe("signing in", () => {
  it("loses no click on a button that is shown before the scripts have loaded", async () => {
    const page = await browser.context.newPage();
    const scripts = Promise.withResolvers<undefined>();
    await page.route(/\/assets\/application-[^/]*\.js$/, async (route) => {
      await scripts.promise;
      await route.continue();
    });
    await page.goto(`${site}/register`, { waitUntil: "commit" });
    await page.getByRole("button", { name: "Create account" }).click();
    expect(await page.getByText("Enter your e-mail address.").count()).toBe(0);
    scripts.resolve(undefined);
    await page.locator("p", { hasText: "Enter your e-mail address." }).waitFor();
    await page.close();
  });

  it("takes a person from the setup link to the console, and back in with the password", async () => {
    const page = await browser.context.newPage();
    const trace = await watchPage(page, [site]);
    await page.goto(`${site}/register`);
    await waitUntilHydrated(page);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.locator("p", { hasText: "Enter your e-mail address." }).waitFor();
    expect(await page.evaluate<string>("document.activeElement.name")).toBe("email");

    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("gravel-otter-candle-9");
    await page.getByText("At least 12 characters (met)").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/overview`);
    expect(trace).toMatchObject({ pageErrors: [], foreignRequests: [], policyViolations: [] });

    // A signed-in person is verified on a page to be read as well, and goes on in the console.
    const verified = page.waitForRequest(/\/auth\/verify$/);
    await page.goto(`${site}/`);
    await verified;
    await page.getByRole("link", { name: "Open the console" }).first().click();
    await page.waitForURL(`${site}/overview`);
    expect(trace).toMatchObject({ pageErrors: [], foreignRequests: [], policyViolations: [] });
    await page.evaluate("localStorage.clear()");
    await page.goto(`${site}/login`);
    await waitUntilHydrated(page);

    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByLabel("Password", { exact: true }).fill("not my password at all");
    await page.keyboard.press("Enter");
    await page.getByText("You are not signed in").waitFor();
    expect(await page.getByLabel("E-mail address").inputValue()).toBe("ada@example.com");

    await page.getByLabel("Password", { exact: true }).fill("gravel-otter-candle-9");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site}/overview`);
    await page.close();
  });

  /** A page in a browser that has no session. */
  async function openAsStranger(): Promise<Page> {
    const page = await browser.context.newPage();
    await page.goto(`${site}/robots.txt`);
    await page.evaluate("localStorage.clear()");
    return page;
  }

  it("explains a provider's refusal and a setup link, and takes both out of the address", async () => {
    const page = await openAsStranger();
    await page.goto(`${site}/login?error=access_denied&state=x`);
    await page.getByText("You cancelled signing in").waitFor();
    await page.waitForURL(`${site}/login`);
    await page.goto(`${site}/register#setup=not-a-real-code`);
    await page.getByText("This setup link does not work").waitFor();
    await page.waitForURL(`${site}/register`);
    await page.close();
  });

  it("leads from a link that no longer works to another one", async () => {
    const page = await openAsStranger();
    await page.goto(`${site}/login#reset=gone`);
    await page.getByLabel("New password", { exact: true }).fill("gravel-otter-candle-9");
    await page.waitForURL(`${site}/login`);
    await page.getByRole("button", { name: "Save password" }).click();
    await page.getByRole("button", { name: "Send me a new link" }).click();
    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByText("If there is an account for ada@example.com").waitFor();
    await page.close();
  });
});
