import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LegalContent } from "@turnpike/contract/public-pages";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRouteTable } from "../route-table.ts";
import { createPageTemplate } from "./page-template.ts";
import { createPublicPageRoutes, type PublicPagesDeps } from "./public-pages.ts";

const SITE = "https://console.example.com";
const LEGAL: LegalContent = {
  title: "Terms",
  updatedOn: "2026-03-04",
  html: "<p>Text</p>",
  headings: [],
  isDefault: false,
  unset: [],
};

let folder: string;
let server: Server | undefined;
let url: string;
let deps: PublicPagesDeps;
/** What the fakes were asked, newest last. */
let rendered: string[];
let nowMs: number;
let catalogName: string;
let isCatalogAway: boolean;
let isBroken: boolean;

/** A template whose pages load a script of its name. */
async function makeTemplate(name: string) {
  const file = join(folder, `${name}.html`);
  await writeFile(
    file,
    `<html><head><title>x</title><script type="module" src="/${name}.js"></script></head><body><div id="root"></div></body></html>`,
  );
  return createPageTemplate({
    file,
    brand: { name: "Acme", accent: "#f5c400" },
    languages: new Map([["de", "/assets/language-de-x1.js"]]),
    siteUrl: SITE,
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-pages-"));
  deps = {
    templates: {
      application: await makeTemplate("application"),
      reading: await makeTemplate("reading"),
    },
    render: (page, language) => {
      rendered.push(language === "en" ? page.path : `${language} ${page.path}`);
      const html = isBroken ? undefined : `<p>${JSON.stringify(page.content.landing?.plans)}</p>`;
      return Promise.resolve({ html, title: "T", description: "D" });
    },
    config: { brand: { name: "Acme" } },
    siteUrl: SITE,
    policy: { content: "default-src 'none'", opensWindows: false },
    getCatalog: () =>
      isCatalogAway
        ? Promise.reject(new Error("away"))
        : Promise.resolve({
            plans: [],
            meters: [
              { meterId: "requests", name: catalogName, unit: "request", aggregation: "count" },
            ],
          }),
    readLanding: () => ({ headline: undefined, summary: undefined, samplePath: "/", isDemo: true }),
    legal: { terms: LEGAL, privacy: { ...LEGAL, title: "Privacy" } },
    listFurther: () => Promise.resolve(["/docs", "/docs/errors/rate-limited"]),
    monotonicMs: () => nowMs,
    logger: { warn: () => undefined },
  };
});

/** Serves one set of routes, so that what they remember lasts for one test. */
beforeEach(async () => {
  rendered = [];
  nowMs = 0;
  catalogName = "Requests";
  isCatalogAway = false;
  isBroken = false;
  server?.close();
  const findRoute = createRouteTable(createPublicPageRoutes(deps));
  server = createServer((req, res) => {
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    const found = findRoute(req.method ?? "GET", path);
    if (found.kind !== "found") {
      res.writeHead(404).end();
      return;
    }
    const context = {
      requestId: "req_1",
      logger: { warn: () => undefined } as never,
      clientAddress: () => "127.0.0.1",
      findCall: () => undefined,
      call: () => {
        throw new Error("Public pages never ask for a credential.");
      },
    };
    const fail = () => res.writeHead(404).end();
    const call = { req, res, params: found.params, context, fail };
    Promise.resolve(found.route.handle(call)).catch(fail);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterAll(async () => {
  server?.close();
  await rm(folder, { recursive: true });
});

const read = async (path: string) => await (await fetch(url + path)).text();

it("are neither framed nor held by the window of another site", async () => {
  const { headers } = await fetch(`${url}/login`);
  expect(headers.get("content-security-policy")).toBe(deps.policy.content);
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
});

it("give way to a page that only tells where a window or a frame was led to, and that we alone may frame", async () => {
  for (const way of ["window", "frame"]) {
    const { headers } = await fetch(`${url}/login?error=x&state=${way}.a-b_1`);
    const policy = headers.get("content-security-policy") ?? "";
    const text = await (await fetch(`${url}/login?code=c&state=${way}.a-b_1`)).text();
    const script = /<script>([\s\S]*)<\/script>/.exec(text)?.[1] ?? "";
    expect(policy).toContain(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(text).not.toContain("a-b_1");
  }
  for (const state of ["plain", "window", "frame.", "window.<b>", "x.window.a"]) {
    expect(await read(`/login?code=c&state=${encodeURIComponent(state)}`)).toBe(
      deps.templates?.application.plain("en"),
    );
  }
  expect(await read("/register?code=c&state=window.a")).toBe(
    deps.templates?.application.plain("en"),
  );
});

describe("public pages", () => {
  it("are rendered once for the same content, and again when it changes", async () => {
    const first = await read("/");
    expect(await read("/?utm_source=x")).toBe(first);
    expect(rendered).toEqual(["/"]);
    catalogName = "Calls";
    expect(await read("/")).not.toBe(first);
    expect(rendered).toEqual(["/", "/"]);
  });

  it("load the application where there is a form to use, and to be read only what takes them over", async () => {
    for (const path of ["/login", "/register"]) {
      expect(await read(path)).toContain('<script type="module" src="/application.js">');
    }
    for (const path of ["/", "/terms", "/privacy"]) {
      const page = await read(path);
      expect(page).toContain('data-entry="/reading.js"');
      expect(page).not.toContain("/application.js");
    }
  });

  it("are the browser's where the address says what to show", async () => {
    expect(await read("/login?reset=secret")).toBe(deps.templates?.application.plain("en"));
    expect(await read("/register?invitation=secret")).toBe(deps.templates?.application.plain("en"));
    expect(rendered).toEqual([]);
    expect(await read("/login")).toContain("data-prerendered");
  });

  it("are the browser's while the catalogue cannot be read", async () => {
    isCatalogAway = true;
    expect(await read("/")).toBe(deps.templates?.application.plain("en"));
    expect(await read("/terms")).toContain("data-prerendered");
    isCatalogAway = false;
    expect(await read("/")).toContain("data-prerendered");
  });

  it("that cannot be rendered are tried again after ten seconds, not by every visitor", async () => {
    isBroken = true;
    for (let visit = 0; visit < 3; visit += 1) {
      expect(await read("/terms")).toBe(deps.templates?.application.plain("en"));
    }
    expect(rendered).toEqual(["/terms"]);
    isBroken = false;
    nowMs = 10_000;
    expect(await read("/terms")).toContain("data-prerendered");
  });

  it("answer their content to a page that was opened without it", async () => {
    expect(await (await fetch(`${url}/page-data/terms`)).json()).toEqual(LEGAL);
    expect(await (await fetch(`${url}/page-data/landing`)).json()).toMatchObject({
      isDemo: true,
      meters: [{ name: "Requests" }],
    });
    expect((await fetch(`${url}/page-data/other`)).status).toBe(404);
    expect((await fetch(`${url}/page-data/__proto__`)).status).toBe(404);
  });

  it("serve the accent for good, and what search engines ask for", async () => {
    const style = await fetch(url + (deps.templates?.application.brandStyle.path ?? ""));
    expect(style.headers.get("cache-control")).toContain("immutable");
    expect(await style.text()).toContain("#f5c400");
    expect(await read("/robots.txt")).toContain(`Sitemap: ${SITE}/sitemap.xml`);
    const sitemap = await read("/sitemap.xml");
    expect(sitemap).toContain(`<url><loc>${SITE}/terms</loc><lastmod>2026-03-04</lastmod></url>`);
    expect(sitemap).toContain(`<url><loc>${SITE}/docs/errors/rate-limited</loc></url>`);
  });
});
