import { describe, expect, it } from "vitest";
import { summariseMarkdown, toMarkdownTwin, toPlainText } from "./markdown-twin.ts";

const SITE = "https://api.example.com";

describe("the Markdown twin of a page", () => {
  it.each([
    ["[keys](keys.md)", "[keys](https://api.example.com/docs/keys.md)"],
    [
      "see [it](errors/expired.md#what-to-do).",
      "see [it](https://api.example.com/docs/errors/expired.md#what-to-do).",
    ],
    ["[API](/v1/reference)", "[API](https://api.example.com/v1/reference.md)"],
    ["[API](/v1/openapi.json)", "[API](https://api.example.com/v1/openapi.json)"],
    ["[here](#below)", "[here](#below)"],
    ["[spec](https://example.org/a)", "[spec](https://example.org/a)"],
    ["[source](../packages/db/src/client.ts)", "source"],
    ["[run](javascript:alert)", "run"],
    ["![picture](a.png)", "picture"],
    ["`[keys](keys.md)`", "`[keys](keys.md)`"],
    ["```md\n[keys](keys.md)\n```\n", "```md\n[keys](keys.md)\n```"],
  ])("turns %s into %s", (source, expected) => {
    expect(toMarkdownTwin("guide.md", source, SITE)).toBe(`${expected}\n`);
  });

  it("reads links of a page in a folder from that folder", () => {
    expect(toMarkdownTwin("errors/expired.md", "[keys](../keys.md)", SITE)).toBe(
      "[keys](https://api.example.com/docs/keys.md)\n",
    );
  });
});

describe("the summary of a page", () => {
  it("is its first sentence without marks", () => {
    const source =
      "# Keys\n\nA `key` is a [credential](a.md) of **one** tenant. It ends.\n\n## More";
    expect(summariseMarkdown(source)).toBe("A key is a credential of one tenant.");
    expect(summariseMarkdown("# Keys\n\n| a | b |\n|---|---|")).toBe("");
    expect(summariseMarkdown("# Keys\n\n```sh\nnpm start\n```\n\nIt starts.")).toBe("It starts.");
  });
});

describe("plain text of Markdown", () => {
  it("has the words alone: no marks of lists or quotes, and no comments of programs", () => {
    const source =
      "<!-- generated:rate -->\n\n> Note\n\n- One `number`.\n- [Two](a.md)\n1. First\n\n| 3 - 1 | 2 |";
    expect(toPlainText(source)).toBe("Note One number. Two First 3 - 1 2");
  });
});
