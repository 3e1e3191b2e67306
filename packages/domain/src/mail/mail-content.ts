/** A part of a mail. A mail is written once, as a list of these; its text and its HTML both come from it. */
export type MailBlock =
  | { kind: "title"; text: string }
  | { kind: "paragraph"; text: string }
  /** Names and values, one a line. */
  | { kind: "facts"; facts: readonly (readonly [name: string, value: string])[] }
  /** What to open. In the text it is the address alone. */
  | { kind: "link"; label: string; address: string }
  | { kind: "list"; title: string; items: readonly (readonly string[])[] };

/** In the order of the mail. */
export type MailContent = readonly MailBlock[];

function toText(block: MailBlock): string {
  switch (block.kind) {
    case "title":
    case "paragraph":
      return block.text;
    case "facts":
      return block.facts.map(([name, value]) => `${name}: ${value}`).join("\n");
    case "link":
      return block.address;
    case "list":
      return [block.title, ...block.items.map((lines) => `- ${lines.join("\n  ")}`)].join("\n");
    default:
      return block satisfies never;
  }
}

/** The text part of a mail. It ends without a line feed. */
export function toMailText(content: MailContent): string {
  return content.map(toText).join("\n\n");
}

/** What most mails are: paragraphs, and what to open. */
export function toContent(
  lines: readonly (string | { label: string; address: string })[],
): MailContent {
  return lines.map((line) =>
    typeof line === "string" ? { kind: "paragraph", text: line } : { kind: "link", ...line },
  );
}

/** Changes every text of a mail, as to take characters out; addresses too. */
export function mapTexts(content: MailContent, change: (text: string) => string): MailContent {
  return content.map((block): MailBlock => {
    switch (block.kind) {
      case "title":
      case "paragraph":
        return { ...block, text: change(block.text) };
      case "facts":
        return {
          ...block,
          facts: block.facts.map(([name, value]) => [change(name), change(value)] as const),
        };
      case "link":
        return { ...block, label: change(block.label), address: change(block.address) };
      case "list":
        return {
          ...block,
          title: change(block.title),
          items: block.items.map((lines) => lines.map(change)),
        };
      default:
        return block satisfies never;
    }
  });
}
