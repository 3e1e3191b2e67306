import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LegalOptions, loadLegalText } from "./legal-texts.ts";

const CHECKOUT = resolve(import.meta.dirname, "../../../../..");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-legal-"));
});
afterAll(() => rm(folder, { recursive: true }));

function options(legal: LegalOptions["legal"] = {}): LegalOptions {
  return {
    checkout: CHECKOUT,
    brandName: "Acme *Maps*",
    consoleUrl: "https://console.example.com",
    legal,
  };
}

async function write(source: string): Promise<string> {
  const file = join(folder, "own.md");
  await writeFile(file, source);
  await utimes(file, new Date("2026-02-03T12:00:00Z"), new Date("2026-02-03T12:00:00Z"));
  return file;
}

describe("the texts that are shipped", () => {
  it.each(["terms", "privacy"] as const)("fill in who, where and since when in %s", (name) => {
    const text = loadLegalText(
      options({ operator: "Acme_Maps Ltd", contact: "legal@acme.example" }),
      name,
    );
    expect(text).toMatchObject({ isDefault: true, unset: [] });
    expect(text.updatedOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(text.html).not.toContain("{{");
    expect(text.html).toContain("Acme *Maps*");
    expect(text.html).toContain("Acme_Maps Ltd");
    expect(text.html).toContain('<a href="mailto:legal@acme.example">legal@acme.example</a>');
    expect(text.headings.length).toBeGreaterThan(4);
  });

  it("say what the operator has not given yet", () => {
    expect(loadLegalText(options(), "terms").unset).toEqual(["legal.operator", "legal.contact"]);
  });
});

describe("the operator's own text", () => {
  it("takes its title from its first heading and its day from where it is said", async () => {
    const terms = await write("<!-- updated: 2026-03-04 -->\n\n# Our *terms*\n\n## One\n\nText.");
    const text = loadLegalText(options({ terms }), "terms");
    expect(text).toMatchObject({
      title: "Our terms",
      updatedOn: "2026-03-04",
      isDefault: false,
      unset: [],
    });
    expect(text.html).not.toContain("<h1");
    expect(text.headings).toEqual([{ depth: 2, id: "one", text: "One" }]);
    expect(loadLegalText(options({ terms, updated: "2026-05-06" }), "terms").updatedOn).toBe(
      "2026-05-06",
    );
  });

  it("without either is named by its place and dated by its file", async () => {
    const privacy = await write("Only text.");
    expect(loadLegalText(options({ privacy }), "privacy")).toMatchObject({
      title: "Privacy notice",
      updatedOn: "2026-02-03",
      headings: [],
    });
  });

  it("gives no HTML and no link that a browser would run", async () => {
    const terms = await write(`Text <script>alert(1)</script> <img src=x onerror=alert(1)>

<iframe src="https://example.com"></iframe>

[a](javascript:alert(1)) [b](data:text/html,x) [c](//example.com) [d](notes.md) ![e](x.png)
[f](https://example.com/a) [g](/docs) [h](#one) [i](mailto:a@example.com)

## "One" <b>
`);
    const { html } = loadLegalText(options({ terms }), "terms");
    expect(html).not.toMatch(/<(script|img|iframe|b)\b/i);
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(hrefs).toEqual([
      "https://example.com/a",
      "/docs",
      "#one",
      "mailto:a@example.com",
      "#one-b",
    ]);
  });

  it("that cannot be read, or is too large, keeps the product from starting with the way out", async () => {
    expect(() => loadLegalText(options({ terms: "/nowhere/terms.md" }), "terms")).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", hint: expect.stringContaining("legal") }),
    );
    const terms = await write("x".repeat(512 * 1024 + 1));
    expect(() => loadLegalText(options({ terms }), "terms")).toThrow("more than 524288 bytes");
  });
});
