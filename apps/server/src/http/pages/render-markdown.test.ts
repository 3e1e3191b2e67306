import { describe, expect, it } from "vitest";
import { renderInlineMarkdown, renderMarkdown, toAnchor, toDocsHref } from "./render-markdown.ts";

describe("renderMarkdown", () => {
  it("shows raw HTML instead of taking it", () => {
    const { html } = renderMarkdown(
      "a.md",
      "<script>alert(1)</script>\n\nHi <img src=x onerror=y>",
    );
    expect(html).toContain("&lt;script&gt;");
    expect(html).toContain("&lt;img");
    expect(html).not.toMatch(/<script|<img/);
  });

  it("leaves comments out", () => {
    expect(renderMarkdown("a.md", "<!-- generated -->\n\nText").html).toBe("<p>Text</p>\n");
  });

  it("keeps no link that a browser would run, and no picture from elsewhere", () => {
    const { html } = renderMarkdown(
      "a.md",
      "[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) ![d](https://evil.example/x.png)",
    );
    expect(html).not.toContain("href");
    expect(html).not.toContain("<img");
    expect(html).toContain("a b c d");
  });

  it("collects headings with anchors of their own, also for the same words twice", () => {
    const { headings, title } = renderMarkdown("a.md", "# T `x`\n\n## One\n\n### Two\n\n## One");
    expect(title).toBe("T x");
    expect(headings).toEqual([
      { depth: 2, id: "one", text: "One" },
      { depth: 3, id: "two", text: "Two" },
      { depth: 2, id: "one-1", text: "One" },
    ]);
  });

  it("renders code and tables for small screens", () => {
    const { html } = renderMarkdown(
      "a.md",
      "```sh\na < b\n```\n\n| x | y |\n|---|---|\n| `1` | 2 |",
    );
    expect(html).toContain('<pre tabindex="0" data-language="sh"><code>a &lt; b</code></pre>');
    expect(html).toContain('<div class="scroll" tabindex="0"><table>');
    expect(html).toContain("<td><code>1</code></td>");
  });
});

describe("toDocsHref", () => {
  it.each([
    ["gateway.md", "errors/rate-limited.md", "/docs/errors/rate-limited"],
    ["errors/rate-limited.md", "../gateway.md#limits", "/docs/gateway#limits"],
    ["errors/rate-limited.md", "quota-exceeded.md", "/docs/errors/quota-exceeded"],
    ["api.md", "errors/README.md", "/docs/errors"],
    ["api.md", "#errors", "#errors"],
    ["api.md", "/v1/reference", "/v1/reference"],
    ["api.md", "https://example.com/a", "https://example.com/a"],
  ])("from %s, %s leads to %s", (page, href, expected) => {
    expect(toDocsHref(page, href)).toBe(expected);
  });

  it.each([
    "../README.md",
    "../apps/server/src/main.ts",
    "javascript:x",
    "//evil.example",
    "a.txt",
  ])("%s leads nowhere on our site", (href) => {
    expect(toDocsHref("api.md", href)).toBeUndefined();
  });
});

describe("toAnchor", () => {
  it("is what GitHub makes of a heading", () => {
    expect(toAnchor("What `X-Turnpike-*` says, and who?")).toBe("what-x-turnpike--says-and-who");
  });
});

describe("renderInlineMarkdown", () => {
  it("renders one line without a paragraph", () => {
    expect(renderInlineMarkdown("Needs `a:b`.")).toBe("Needs <code>a:b</code>.");
  });
});
