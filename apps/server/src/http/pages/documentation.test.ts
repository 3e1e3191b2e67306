import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { ERROR_CODES, errorPageSlug } from "@turnpike/domain/errors/error-codes";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { createRouteTable } from "../route-table.ts";
import { createDocumentationRoutes } from "./documentation.ts";
import { createApiReference } from "./reference/api-reference.ts";
import { createDocumentationSearch } from "./search-documentation.ts";

const CHECKOUT = resolve(import.meta.dirname, "../../../../..");
const OPTIONS = {
  brand: { name: "Acme <API>", accent: "#00aa55" },
  consoleUrl: "https://console.example.com",
  gatewayUrl: "https://calls.example.com",
  version: "1.2.3",
  summary: "Maps by the call.",
};
/** A page that a phone opens without pause. */
const PAGE_CHARACTERS_MAX = 500_000;
const logger = createLogger({ level: "silent" });

function serve(checkout: string): Promise<{ server: Server; url: string }> {
  const loadReference = createApiReference(OPTIONS);
  const { search } = createDocumentationSearch({
    checkout,
    siteUrl: OPTIONS.consoleUrl,
    gatewayUrl: OPTIONS.gatewayUrl,
    loadReference,
  });
  const find = createRouteTable(
    createDocumentationRoutes({
      ...OPTIONS,
      checkout,
      search,
      loadReference,
      listOwnApi: () => [{ title: "Harbours", href: "/docs/keys.md", summary: "" }],
    }),
  );
  const server = createServer((req, res) => {
    const found = find(req.method ?? "GET", new URL(req.url ?? "/", "http://localhost").pathname);
    if (found.kind !== "found") {
      res.writeHead(404).end("no route");
      return;
    }
    const context = {
      requestId: "req_1",
      logger,
      findCall: () => undefined,
      clientAddress: () => "127.0.0.1",
      call: () => {
        throw new Error("Documentation never asks for a credential.");
      },
    };
    const fail = () => res.destroy();
    const call = { req, res, params: found.params, context, fail };
    Promise.resolve(found.route.handle(call)).catch(fail);
  });
  return new Promise((ready) => {
    server.listen(0, "127.0.0.1", () => {
      ready({ server, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
    });
  });
}

let site: { server: Server; url: string };
beforeAll(async () => {
  site = await serve(CHECKOUT);
});
afterAll(() => site.server.close());

async function read(path: string, init?: RequestInit) {
  const response = await fetch(`${site.url}${path}`, init);
  return { response, text: await response.text() };
}

describe("documentation pages", () => {
  it("shows a guide with its title, its headings as anchors and the way to the others", async () => {
    const { response, text } = await read("/docs/architecture");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(text).toContain("<h1>Architecture</h1>");
    expect(text).toContain('id="the-life-of-a-call"');
    expect(text).toContain('href="/docs/architecture" aria-current="page"');
  });

  it("is compressed for those who take it, and told apart by caches", async () => {
    const ask = (encoding: string, tag = "") =>
      fetch(`${site.url}/docs/configuration`, {
        headers: { "accept-encoding": encoding, ...(tag && { "if-none-match": tag }) },
      });
    const plain = await ask("gzip;q=0, identity");
    const packed = await ask("br, gzip;q=0.5");
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("vary")).toBe("accept-encoding");
    expect(await packed.text()).toBe(await plain.text());
    const [packedBytes, plainBytes] = [packed, plain].map(({ headers }) =>
      Number(headers.get("content-length")),
    );
    expect(packedBytes).toBeLessThan((plainBytes ?? 0) / 3);
    for (const { headers } of [plain, packed]) {
      expect((await ask("gzip", headers.get("etag") ?? "none")).status).toBe(304);
    }
  });

  it("says in the head of each page what it is about", async () => {
    for (const [path, words] of [
      ["/docs/architecture", "Turnpike"],
      ["/docs/errors/rate-limited", "."],
      ["/docs/errors", "error code"],
      ["/docs", "Guides"],
      ["/v1/reference", "six languages"],
      ["/v1/reference/keys", "Keys: "],
    ] as const) {
      const { text } = await read(path);
      const [, description = ""] = /<meta name="description" content="([^"]+)">/.exec(text) ?? [];
      expect(description, path).toContain(words);
    }
  });

  it.each(Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[])(
    "has a page for %s, with the status of the table",
    async (code) => {
      const { response, text } = await read(`/docs/errors/${errorPageSlug(code)}`);
      expect(response.status).toBe(200);
      expect(text).toContain(`HTTP ${String(ERROR_CODES[code].status)}`);
      expect(text).toContain("What to do");
    },
  );

  it("lists every code on the index of errors, each leading to its page", async () => {
    const { text } = await read("/docs/errors");
    for (const code of Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[]) {
      expect(text).toContain(`href="/docs/errors/${errorPageSlug(code)}"><code>${code}</code>`);
    }
  });

  it("searches with a form that needs no script, and escapes what was asked", async () => {
    const { text } = await read("/docs/search?q=import+hashes+of+existing+keys");
    expect(text).toMatch(/<ol class="results"><li><a href="\/docs\/keys/);
    expect(text).toContain('value="import hashes of existing keys"');
    const hostile = await read(`/docs/search?q=${encodeURIComponent('"><script>x')}`);
    expect(hostile.text).toContain('value="&quot;&gt;&lt;script&gt;x"');
    expect(hostile.text).not.toContain("<script");
    expect((await read("/docs/search")).response.status).toBe(200);
  });

  it("leads from each guide to its neighbours, and describes each on the index", async () => {
    const { text } = await read("/docs/gateway");
    expect(text).toContain('<a rel="prev" href="/docs/adopt">');
    expect(text).toContain('<a rel="next" href="/docs/tokens">');
    const index = await read("/docs");
    const summaries = index.text.match(/<span class="summary">[^<]+/g) ?? [];
    expect(summaries.length).toBe(index.text.match(/<span class="title">/g)?.length);
    for (const summary of summaries) {
      expect(summary).toMatch(/[.?]$/);
    }
  });

  it("gives samples the addresses of this installation, in pages and in their twins", async () => {
    for (const path of ["/docs/gateway", "/docs/gateway.md"]) {
      const { text } = await read(path);
      expect(text).toContain("https://calls.example.com/v1/cities");
    }
    const { text } = await read("/docs/api");
    expect(text).toContain("https://console.example.com/v1/tenants");
  });

  it("has a part for people who call the API and one for those who run it, and searches for the reader of a page", async () => {
    const { text } = await read("/docs");
    const at = (words: string) => text.indexOf(words, text.indexOf("<main"));
    expect(at('<h2 id="users">Using the API')).toBeLessThan(at('href="/docs/calling"'));
    expect(at('href="/docs/paying"')).toBeLessThan(at('<h2 id="operators">Running it'));
    expect(at('<h2 id="operators">Running it')).toBeLessThan(at('href="/docs/install"'));
    expect(text).toContain('<a href="/docs/keys"><span class="title">Harbours</span>');
    expect((await read("/docs/operations")).text).toContain('name="first" value="operators"');
    const { text: found } = await read("/docs/search?q=spend+cap&first=operators");
    expect(found).toContain(
      '<a href="/docs/search?q=spend+cap&amp;first=operators" aria-current="true">Running it</a>',
    );
    expect(found).toMatch(/<ol class="results"><li><a href="\/docs\/billing/);
    expect((await read("/docs/search?q=spend+cap&first=other")).text).toMatch(
      /<ol class="results"><li><a href="\/docs\/(?:paying|errors)/,
    );
  });

  it("answers an unknown page with 404 in the same frame", async () => {
    for (const path of ["/docs/nothing-here", "/docs/errors/nothing", "/docs/some/thing"]) {
      const { response, text } = await read(path);
      expect(response.status).toBe(404);
      expect(text).toContain("There is no such page");
      expect(text).toContain("/docs/assets/page.");
    }
  });

  it.each([
    "/docs/..%2fpackage",
    "/docs/%2e%2e",
    "/docs/errors/..%2f..%2fREADME",
    "/docs/..%2fREADME.md",
    "/docs/.md",
    "/docs/architecture.md.md",
    "/docs/.hidden",
    "/docs/errors/%00",
    "/docs/ARCHITECTURE",
  ])("never leaves its folders: %s is missing", async (path) => {
    const { response } = await read(path);
    expect(response.status).toBe(404);
  });

  it("has a twin in Markdown for every page, named in its head and in llms.txt, whose links lead to twins", async () => {
    const { text: list, response } = await read("/llms.txt");
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(list.split("\n").slice(0, 3)).toEqual(["# Acme <API>", "", "> Maps by the call."]);
    const own = (text: string) =>
      [...text.matchAll(/\]\(https:\/\/console\.example\.com(\/[^)#]+)/g)].map(
        ([, path = ""]) => path,
      );
    const open = own(list);
    const seen = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      seen.add(path);
      const twin = await read(path);
      expect({ path, status: twin.response.status }).toEqual({ path, status: 200 });
      if (path.endsWith(".md")) {
        expect(twin.response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
        expect(twin.text).toMatch(/^# /);
        expect(twin.text).not.toMatch(/\]\((?!https?:|mailto:|#)/);
        const page = await read(path.slice(0, -".md".length));
        expect(page.text).toContain(`<link rel="alternate" type="text/markdown" href="${path}">`);
        open.push(...own(twin.text).filter((other) => !seen.has(other) && !open.includes(other)));
      }
    }
    for (const code of Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[]) {
      expect(seen).toContain(`/docs/errors/${errorPageSlug(code)}.md`);
    }
    expect(seen).toContain("/docs/architecture.md");
    const { text: pages } = await read("/v1/reference");
    for (const [, path = ""] of pages.matchAll(/href="(\/v1\/reference\/[\w-]+)"/g)) {
      expect(list).toContain(`(https://console.example.com${path}.md)`);
      expect(seen).toContain(`${path}.md`);
    }
    expect(list.indexOf("[Harbours](https://console.example.com/docs/keys.md)")).toBeLessThan(
      list.indexOf("## Guides"),
    );
  });

  it("says in the twin of a page of the reference what the page says", async () => {
    const { text } = await read("/v1/reference/keys.md");
    expect(text).toContain("`POST /v1/keys/verify`");
    expect(text).toContain("```sh\ncurl https://console.example.com/v1/keys/verify");
    expect(text).toMatch(
      /### Body: `application\/json`\n\n\| field \| type \| required \| meaning \|/,
    );
    expect(text).toMatch(/### Answer 200: `application\/json`/);
    expect(text).toMatch(/### Refusals\n\n\| status \| meaning \|\n\|---\|---\|\n\| 4/);
    expect(text).toContain("[Key](https://console.example.com/v1/reference/shapes.md#key)");
    expect((await read("/v1/reference/shapes.md")).text).toContain("\n## Key\n");
    expect((await read("/v1/reference/keys.md?samples=python")).text).toContain("requests.post(");
    for (const missing of ["/v1/reference/nothing.md", "/v1/reference/.md"]) {
      expect((await read(missing)).response.status).toBe(404);
    }
  });

  it("allows no script, no frame and nothing from elsewhere", async () => {
    for (const path of ["/docs", "/docs/architecture", "/docs/search?q=keys"]) {
      const { response, text } = await read(path);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe");
      expect(policy).not.toContain("script-src");
      expect(text).not.toMatch(/<script|\sstyle=|\son[a-z]+=|src="http/);
    }
  });

  it("allows pages of the reference one script of ours, and calls to this site alone", async () => {
    const { response, text } = await read("/v1/reference/keys");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/script-src 'self'; connect-src 'self'$/);
    expect(policy).not.toContain("unsafe");
    const scripts = [...text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toEqual([
      expect.stringMatching(/^<script type="module" src="\/docs\/assets\/try-it\.[\w-]+\.js">$/),
    ]);
    expect(text).not.toMatch(/\sstyle=|\son[a-z]+=/);
  });

  it("escapes the operator's brand", async () => {
    const { text } = await read("/docs");
    expect(text).toContain("Acme &lt;API&gt;");
    expect(text).not.toContain("<API>");
  });

  it("serves its style sheet for good under a name of its content, with the operator's accent", async () => {
    const { text } = await read("/docs");
    const path = /href="(\/docs\/assets\/page\.[\w-]+\.css)"/.exec(text)?.[1] ?? "";
    const sheet = await read(path);
    expect(sheet.response.headers.get("cache-control")).toContain("immutable");
    expect(sheet.text).toContain("--brand-accent: #00aa55");
    expect(sheet.text).toContain("light-dark(");
    expect(sheet.text).not.toContain("@theme");
  });

  it("answers 304 to who has the page already", async () => {
    const first = await read("/docs/architecture");
    const etag = first.response.headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const again = await read("/docs/architecture", { headers: { "if-none-match": etag } });
    expect(again.response.status).toBe(304);
    expect(again.text).toBe("");
  });

  it("leads nowhere that is missing: every link of every page below /docs and /v1 answers", async () => {
    const seen = new Set<string>();
    const open = ["/docs"];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      seen.add(path);
      const { response, text } = await read(path);
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      for (const [, href = ""] of text.matchAll(/href="(\/(?:docs|v1)[^"#]*)/g)) {
        if (!seen.has(href) && !open.includes(href)) {
          open.push(href);
        }
      }
      for (const [, anchor = ""] of text.matchAll(/href="#([^"]+)"/g)) {
        expect({ path, anchor, isThere: text.includes(`id="${anchor}"`) }).toMatchObject({
          isThere: true,
        });
      }
    }
    expect(seen.size).toBeGreaterThan(Object.keys(ERROR_CODES).length);
  });
});

describe("documentation of another checkout", () => {
  it("shows a page anew when its file has changed, and follows no symbolic link", async () => {
    await using temp = await makeTempFolder();
    const folder = temp.path;
    mkdirSync(join(folder, "docs/errors"), { recursive: true });
    mkdirSync(join(folder, "packages/ui/src"), { recursive: true });
    writeFileSync(join(folder, "packages/ui/src/tokens.css"), ":root {}");
    writeFileSync(join(folder, "docs/guide.md"), "# One");
    writeFileSync(join(folder, "secret.txt"), "# Secret");
    symlinkSync(join(folder, "secret.txt"), join(folder, "docs/link.md"));
    const other = await serve(folder);
    try {
      const before = await fetch(`${other.url}/docs/guide`);
      expect(await before.text()).toContain("<h1>One</h1>");
      writeFileSync(join(folder, "docs/guide.md"), "# Another");
      const after = await fetch(`${other.url}/docs/guide`);
      expect(await after.text()).toContain("<h1>Another</h1>");
      expect((await fetch(`${other.url}/docs/link`)).status).toBe(404);
    } finally {
      other.server.close();
    }
  });
});

describe("API reference", () => {
  it("lists every operation of the document on its first page, and shows each on that of its group", async () => {
    const { text } = await read("/v1/reference");
    const document: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
      (await read("/v1/openapi.json")).text,
    );
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.operationId),
    );
    expect(ids.length).toBeGreaterThan(30);
    for (const id of ids) {
      expect(text).toContain(`<li id="${id}">`);
    }
    const names = new Set([...text.matchAll(/\/v1\/reference\/([\w-]+)/g)].map(([, name]) => name));
    const groups = await Promise.all(
      [...names].map(async (name) => (await read(`/v1/reference/${name}`)).text),
    );
    for (const id of ids) {
      expect(
        groups.filter((group) => group.includes(`<section class="operation" id="${id}">`)),
        id,
      ).toHaveLength(1);
    }
    expect(Math.max(...groups.map((group) => group.length))).toBeLessThan(PAGE_CHARACTERS_MAX);
    expect((await read("/v1/reference/nothing")).response.status).toBe(404);
  });

  it("writes samples in the language that is asked for, and keeps it in its links", async () => {
    const { text } = await read("/v1/reference/keys");
    expect(text).toContain("curl https://console.example.com/v1/keys/verify");
    expect(text).toContain('<span class="chip">keys:verify</span>');
    const python = await read("/v1/reference/keys?samples=python");
    expect(python.text).toContain("requests.post(");
    expect(python.text).toContain('href="/v1/reference/tenants?samples=python"');
    expect((await read("/v1/reference/keys?samples=cobol")).text).toBe(text);
  });

  it("gives the document to tools in any page", async () => {
    const { response } = await read("/v1/openapi.json");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });
});
