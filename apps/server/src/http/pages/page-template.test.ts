import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPageTemplate, toEmbeddedJson } from "./page-template.ts";

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta name="robots" content="noindex" />
    <title>Console</title>
    <link rel="preload" href="/config.json" as="fetch" crossorigin="anonymous" />
    <script type="module" crossorigin src="/assets/index.js"></script>
    <link rel="modulepreload" crossorigin href="/assets/one.js">
    <link rel="modulepreload" crossorigin href="/assets/two.js">
    <link rel="stylesheet" crossorigin href="/assets/index.css">
  </head>
  <body>
    <div id="root"></div>
    <noscript><p>Needs scripts.</p></noscript>
  </body>
</html>
`;
const BRAND = { name: 'Ä "Maps" <b>', accent: "#f5c400" };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-template-"));
  await writeFile(join(folder, "index.html"), INDEX);
  await writeFile(join(folder, "other.html"), "<html><body><main></main></body></html>");
});
afterAll(() => rm(folder, { recursive: true }));

function makeTemplate(file = "index.html") {
  return createPageTemplate({
    file: join(folder, file),
    brand: BRAND,
    languages: new Map([["de", "/assets/language-de-x1.js"]]),
    siteUrl: "https://console.example.com",
  });
}

describe("the template of pages", () => {
  it("puts content, data and what previews read into the built page", () => {
    const page = makeTemplate().fill(
      "en",
      { title: "A & B", description: 'Says "so"', canonicalUrl: "https://console.example.com/x" },
      { html: "<main>Hello</main>", embedded: { a: 1 }, isUsedAtOnce: false },
    );
    expect(page).toContain("<title>A &amp; B</title>");
    expect(page).toContain('<meta name="description" content="Says &quot;so&quot;">');
    expect(page).toContain('<link rel="canonical" href="https://console.example.com/x">');
    expect(page).toContain('content="https://console.example.com/social-image.png"');
    expect(page).toContain('content="Ä &quot;Maps&quot; &lt;b&gt;"');
    expect(page).toContain(
      '<div id="root" data-prerendered><main>Hello</main></div>\n<script type="application/json" id="prerendered">{"a":1}</script>',
    );
    expect(page).toMatch(
      /<script type="module" src="\/docs\/assets\/after-paint\.[\w-]+\.js" data-entry="\/assets\/index\.js" data-preloads="\/assets\/one\.js \/assets\/two\.js"><\/script>/,
    );
    expect(page).toContain('href="/assets/index.css"');
    expect(page).not.toMatch(/modulepreload| src="\/assets/);
    expect(page).not.toMatch(/noindex|config\.json|Needs scripts/);
  });

  it("loads the scripts of a form at once, so that no press is lost", () => {
    const page = makeTemplate().fill(
      "en",
      { title: "Sign in", description: "", canonicalUrl: "https://console.example.com/login" },
      { html: "<form></form>", embedded: {}, isUsedAtOnce: true },
    );
    expect(page).toContain('<script type="module" crossorigin src="/assets/index.js"></script>');
    expect(page).not.toContain("after-paint");
    expect(page).not.toContain("/config.json");
  });

  it("keeps the page without content out of search engines, under the operator's name", () => {
    const plain = makeTemplate().plain("en");
    expect(plain).toContain("<title>Ä &quot;Maps&quot; &lt;b&gt;</title>");
    expect(plain.match(/<meta name="robots" content="noindex">/g)).toHaveLength(1);
    expect(plain).toContain('<div id="root"></div>');
    expect(plain).toContain("Needs scripts");
    expect(plain).toContain('<script type="module" crossorigin src="/assets/index.js"></script>');
    expect(plain).toContain('<link rel="modulepreload" crossorigin href="/assets/two.js">');
    expect(plain).toContain("/config.json");
  });

  it("loads the strings of another language before any other script, and names the language", () => {
    const { fill, plain } = makeTemplate();
    const form = fill(
      "de",
      { title: "Anmelden", description: "", canonicalUrl: "https://console.example.com/login" },
      { html: "<form></form>", embedded: {}, isUsedAtOnce: true },
    );
    for (const page of [plain("de"), form]) {
      expect(page).toContain('<html lang="de">');
      expect(page.indexOf("/assets/language-de-x1.js")).toBeGreaterThan(0);
      expect(page.indexOf("/assets/language-de-x1.js")).toBeLessThan(
        page.indexOf("/assets/index.js"),
      );
    }
    expect(plain("en")).toContain('<html lang="en">');
    expect(plain("en")).not.toContain("language-de");
  });

  it("names the accent's style sheet by its content", () => {
    const { brandStyle, plain } = makeTemplate();
    expect(brandStyle.text).toContain("--brand-accent: #f5c400");
    expect(brandStyle.path).toMatch(/^\/brand\.[\w-]{12}\.css$/);
    expect(plain("en")).toContain(`<link rel="stylesheet" href="${brandStyle.path}">`);
  });

  it("refuses a file that has no place for title and content", () => {
    expect(() => makeTemplate("other.html")).toThrow("no title, head or #root");
  });
});

describe("embedded data", () => {
  it("never ends its element, and reads back as it was, with anything in it", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.constantFrom("</script>", "<!--", "]]>", "\u2028", "<script", "-->"),
    );
    fc.assert(
      fc.property(fc.dictionary(texts, fc.array(texts)), (value) => {
        const json = toEmbeddedJson(value);
        expect(json).not.toMatch(/[<>\u2028\u2029]/);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
