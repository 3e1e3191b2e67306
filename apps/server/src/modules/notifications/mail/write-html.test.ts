import type { MailContent } from "@turnpike/domain/mail/mail-content";
import { describe, expect, it } from "vitest";
import { TEST_BRAND } from "../testing/mail-brand.fixture.ts";
import { writeHtml } from "./write-html.ts";

const HOSTILE = `"><img src=https://evil.test/x.png onerror=a()><script>a()</script>`;

describe("a mail as HTML", () => {
  it("escapes every text, fetches nothing and runs nothing, for any name of a tenant", () => {
    const content: MailContent = [
      { kind: "title", text: HOSTILE },
      { kind: "paragraph", text: HOSTILE },
      { kind: "facts", facts: [[HOSTILE, HOSTILE]] },
      { kind: "link", label: HOSTILE, address: `https://console.test/${HOSTILE}` },
      { kind: "list", title: HOSTILE, items: [[HOSTILE, "https://console.test/a"]] },
    ];
    const html = writeHtml({ subject: HOSTILE, content }, { ...TEST_BRAND, name: HOSTILE });
    expect(html).not.toMatch(
      /<(?:script|img|iframe|link|object|form|\w+[^>]*\s(?:src|on\w+)=)|url\(|@import/i,
    );
    expect(html.match(/href="[^"]*"/g)).toHaveLength(1);
    expect(html.match(/<style>/g)).toHaveLength(1);
  });

  it("is in the brand, with its colour behind what is to be opened, and dark where mails are dark", () => {
    const content: MailContent = [{ kind: "link", label: "Open", address: "https://a.test/x" }];
    const html = writeHtml({ subject: "Hi", content }, TEST_BRAND);
    expect(html).toContain("Acme &lt;API&gt;");
    expect(html).toMatch(/<a href="https:\/\/a\.test\/x"[^>]*background:#f5c400;color:#1a1814/);
    expect(html).toContain("prefers-color-scheme:dark");
  });

  it("makes no link of an address that is none of the web", () => {
    const content: MailContent = [
      { kind: "link", label: "Open", address: "javascript:alert(1)" },
      { kind: "paragraph", text: "javascript:alert(1)" },
    ];
    expect(writeHtml({ subject: "Hi", content }, TEST_BRAND)).not.toContain("href");
  });
});
