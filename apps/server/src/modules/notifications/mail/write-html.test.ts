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
    const html = writeHtml(
      { subject: HOSTILE, content, language: "en" },
      { ...TEST_BRAND, name: HOSTILE },
    );
    expect(html).not.toMatch(
      /<(?:script|img|iframe|link|object|form|\w+[^>]*\s(?:src|on\w+)=)|url\(|@import/i,
    );
    expect(html.match(/href="[^"]*"/g)).toHaveLength(1);
    expect(html.match(/<style>/g)).toHaveLength(1);
  });

  it("is in the brand, with its colour behind what is to be opened, and dark where mails are dark", () => {
    const content: MailContent = [{ kind: "link", label: "Open", address: "https://a.test/x" }];
    const html = writeHtml({ subject: "Hi", content, language: "de" }, TEST_BRAND);
    expect(html).toContain("Acme &lt;API&gt;");
    expect(html).toMatch(/<a href="https:\/\/a\.test\/x"[^>]*background:#f5c400;color:#1a1814/);
    expect(html).toContain("prefers-color-scheme:dark");
  });

  it("shows a logo that it brings along, and else the letter", () => {
    const mail = {
      subject: "Hi",
      language: "en",
      content: [{ kind: "paragraph", text: "x" }],
    } as const;
    expect(writeHtml({ ...mail, logo: "cid:logo@a.test" }, TEST_BRAND)).toMatch(
      /<img src="cid:logo@a\.test" alt="" width="28" height="28"/,
    );
    const plain = writeHtml(mail, TEST_BRAND);
    expect(plain).not.toContain("<img");
    expect(plain).toContain(">A</span>");
  });

  it("lets names and texts run in their own direction", () => {
    const content: MailContent = [
      { kind: "title", text: "שלום" },
      { kind: "facts", facts: [["Tenant", "شركة"]] },
    ];
    const html = writeHtml(
      { subject: "Hi", content, language: "de" },
      { ...TEST_BRAND, name: "חברה" },
    );
    for (const name of ["שלום", "شركة"]) {
      expect(html).toMatch(new RegExp(`<(?:h1|td) dir="auto"[^>]*>${name}`));
    }
    expect(html).toMatch(/<p dir="auto"[^>]*><span[^>]*>ח<\/span><span[^>]*>חברה/);
  });

  it("keeps the look of a paragraph around its lines, however long a name in it is", () => {
    const content: MailContent = [
      { kind: "paragraph", text: `You are invited to ${"W".repeat(80)}` },
    ];
    const html = writeHtml({ subject: "Hi", content, language: "de" }, TEST_BRAND);
    expect(html).toMatch(/<div [^>]*overflow-wrap:anywhere[^>]*><div>You are invited/);
    // Nothing but text may be in a paragraph of HTML.
    expect(html).not.toMatch(/<p\b[^>]*>(?:(?!<\/p>).)*<(?:div|p|ul|table|h\d)\b/s);
  });

  it("makes no link of an address that is none of the web", () => {
    const content: MailContent = [
      { kind: "link", label: "Open", address: "javascript:alert(1)" },
      { kind: "paragraph", text: "javascript:alert(1)" },
    ];
    expect(writeHtml({ subject: "Hi", content, language: "de" }, TEST_BRAND)).not.toContain("href");
  });
});
