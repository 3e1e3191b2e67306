/** What people wrote, such as the name of a tenant, is the same in every language. */
export type MailFact = readonly [name: string, value: string, by?: "people"];

/** A part of a mail. A mail is written once, as a list of these; its text and its HTML both come from it. */
export type MailBlock =
  | { kind: "title"; text: string }
  | { kind: "paragraph"; text: string }
  /** Names and values, one a line. */
  | { kind: "facts"; facts: readonly MailFact[] }
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

/** What a text of a mail is: of facts the value, of links the address, and anything else that is read. */
export type MailTextKind = "text" | "value" | "own" | "address";

/**
 * Changes every text of a mail, as to take characters out.
 *
 * @param change - Gets the text and what it is; `own` is the value of a fact that people wrote.
 */
export function mapTexts(
  content: MailContent,
  change: (text: string, kind: MailTextKind) => string,
): MailContent {
  const say = (text: string) => change(text, "text");
  return content.map((block): MailBlock => {
    switch (block.kind) {
      case "title":
      case "paragraph":
        return { ...block, text: say(block.text) };
      case "facts":
        return {
          ...block,
          facts: block.facts.map(
            ([name, value, by]): MailFact =>
              by === undefined
                ? [say(name), change(value, "value")]
                : [say(name), change(value, "own"), by],
          ),
        };
      case "link":
        return { ...block, label: say(block.label), address: change(block.address, "address") };
      case "list":
        return {
          ...block,
          title: say(block.title),
          items: block.items.map((lines) => lines.map(say)),
        };
      default:
        return block satisfies never;
    }
  });
}
