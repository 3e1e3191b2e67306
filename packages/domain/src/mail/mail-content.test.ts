import { describe, expect, it } from "vitest";
import { type MailContent, mapTexts, toContent, toMailText } from "./mail-content.ts";

const EVERY_KIND: MailContent = [
  { kind: "title", text: "Title" },
  { kind: "paragraph", text: "One\ntwo" },
  { kind: "facts", facts: [["Name", "Value"]] },
  { kind: "link", label: "Open", address: "https://a.test/x" },
  { kind: "list", title: "News", items: [["First", "since Monday"], ["Second"]] },
];

describe("the content of a mail", () => {
  it("is text without its labels of links, part by part", () => {
    expect(toMailText(EVERY_KIND)).toBe(
      "Title\n\nOne\ntwo\n\nName: Value\n\nhttps://a.test/x\n\nNews\n- First\n  since Monday\n- Second",
    );
    expect(toMailText(toContent(["Hello", { label: "Open", address: "https://a.test" }]))).toBe(
      "Hello\n\nhttps://a.test",
    );
  });

  it("is changed in every text that it has", () => {
    expect(JSON.stringify(mapTexts(EVERY_KIND, () => "x"))).not.toMatch(
      /Title|One|Name|Value|Open|a\.test|News|First|Second/,
    );
    expect(mapTexts(EVERY_KIND, (text) => text)).toEqual(EVERY_KIND);
  });
});
