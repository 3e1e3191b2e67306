import { escapeText, leaf, node, type Xml } from "@turnpike/domain/billing/e-invoice/xml";
import type { MailBlock, MailContent, MailFact } from "@turnpike/domain/mail/mail-content";
import type { Language } from "@turnpike/domain/text/languages";

/** How mails look. Colours as `#rrggbb`. */
export type MailBrand = {
  name: string;
  accent: string;
  onAccent: string;
  /** Of mails to people who chose none. */
  language: Language;
  /** The operator's picture as a `data:` address; left out: the first letter of the name. */
  mark?: string | undefined;
};

const FONT = "font-family:Helvetica,Arial,sans-serif";
const TEXT = `${FONT};font-size:15px;line-height:23px;margin:0 0 14px;overflow-wrap:anywhere`;
const CELL = `${FONT};font-size:15px;line-height:23px;padding:3px 24px 3px 0;text-align:left;vertical-align:top;overflow-wrap:anywhere`;
/** Only the web: a mail must not lead to a script. */
const ADDRESS = /^https?:\/\/\S+$/;
/** Programs that know no dark mails leave the rules out, and see the colours of the elements. */
const STYLE = [
  "@media (prefers-color-scheme:dark){",
  ".page{background:#14120f!important}",
  ".card{background:#1f1c18!important;border-color:#3a352e!important}",
  ".ink{color:#f4f1ea!important}.quiet{color:#b3aca0!important}",
  "}",
  "@media (max-width:480px){.room{padding:18px!important}}",
].join("");

/** Where a long address may break, so that it does not widen a narrow screen. */
function toAddressLine(address: string): Xml {
  return leaf("p", address, {
    class: "quiet",
    style: `${FONT};font-size:12px;line-height:18px;margin:0 0 18px;color:#6b6459;word-break:break-all`,
  });
}

function toButton({ label, address }: { label: string; address: string }, brand: MailBrand): Xml {
  if (!ADDRESS.test(address)) {
    return toAddressLine(address);
  }
  const button = leaf("a", label, {
    href: address,
    style: `${FONT};display:inline-block;padding:11px 20px;border-radius:8px;background:${brand.accent};color:${brand.onAccent};font-size:15px;font-weight:bold;text-decoration:none`,
  });
  return `${node("p", [button], { style: "margin:4px 0 8px" }) ?? ""}${toAddressLine(address) ?? ""}`;
}

function toRow([name, value]: MailFact): Xml {
  return node("tr", [
    leaf("th", name, {
      scope: "row",
      class: "quiet",
      style: `${CELL};color:#6b6459;font-weight:normal`,
    }),
    leaf("td", value, { dir: "auto", class: "ink", style: `${CELL};color:#1a1814` }),
  ]);
}

function toLine(line: string): Xml {
  return ADDRESS.test(line)
    ? node("div", [leaf("a", line, { href: line, class: "ink", style: "color:#1a1814" })])
    : leaf("div", line);
}

function toHtml(block: MailBlock, brand: MailBrand): Xml {
  const ink = { dir: "auto", class: "ink", style: `${TEXT};color:#1a1814` };
  switch (block.kind) {
    case "title":
      return leaf("h1", block.text, {
        dir: "auto",
        class: "ink",
        style: `${FONT};font-size:20px;line-height:28px;margin:0 0 16px;color:#1a1814;overflow-wrap:anywhere`,
      });
    case "paragraph":
      // Lines are blocks, which a paragraph cannot hold: it would end before them, and its look with it.
      return node("div", block.text.split("\n").map(toLine), ink);
    case "facts":
      return node("table", block.facts.map(toRow), {
        style: "border-collapse:collapse;margin:0 0 16px",
      });
    case "link":
      return toButton(block, brand);
    case "list":
      return node("div", [
        leaf("h2", block.title, {
          dir: "auto",
          class: "ink",
          style: `${FONT};font-size:16px;line-height:24px;margin:18px 0 8px;color:#1a1814`,
        }),
        node(
          "ul",
          block.items.map((lines) => node("li", lines.map(toLine), ink)),
          { style: "margin:0 0 14px;padding:0 0 0 20px" },
        ),
      ]);
    default:
      return block satisfies never;
  }
}

const MARK = "display:inline-block;width:28px;height:28px;margin:0 10px 0 0;border-radius:7px";

function toInitial({ name, accent, onAccent }: MailBrand): Xml {
  return leaf("span", [...name.trim()][0]?.toUpperCase() ?? "", {
    "aria-hidden": "true",
    style: `${MARK};background:${accent};color:${onAccent};font-size:16px;line-height:28px;text-align:center`,
  });
}

/** Its name follows, so the picture has none. */
function toPicture(address: string): Xml {
  return `<img src="${escapeText(address)}" alt="" width="28" height="28" style="${MARK};vertical-align:top">`;
}

function toHead(brand: MailBrand, logo: string | undefined): Xml {
  const name = leaf("span", brand.name, { class: "ink", style: "color:#1a1814" });
  return node("p", [logo === undefined ? toInitial(brand) : toPicture(logo), name], {
    dir: "auto",
    style: `${FONT};font-size:16px;line-height:28px;font-weight:bold;margin:0 0 22px;overflow-wrap:anywhere`,
  });
}

/**
 * Writes a mail as HTML, in the brand, for light and dark programs and narrow screens. Everything in it that is text is escaped;
 * it fetches nothing.
 *
 * @param mail.logo - The address of a picture that the mail itself brings, `cid:` or `data:`. One that had to be fetched would tell
 *   its server who reads. Left out: the first letter of the name.
 */
export function writeHtml(
  mail: {
    subject: string;
    content: MailContent;
    language: Language;
    logo?: string | undefined;
  },
  brand: MailBrand,
): string {
  const { subject, content, language, logo } = mail;
  const head = node("head", [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    leaf("title", subject),
    `<style>${STYLE}</style>`,
  ]);
  const inside = node(
    "td",
    [toHead(brand, logo), ...content.map((block) => toHtml(block, brand))],
    {
      class: "room",
      style: "padding:28px",
    },
  );
  const card = node("table", [node("tr", [inside])], {
    role: "presentation",
    class: "card",
    style:
      "width:100%;max-width:580px;table-layout:fixed;border-collapse:separate;background:#ffffff;border:1px solid #e4dfd5;border-radius:12px",
  });
  const around = node("td", [card], { align: "center", style: "padding:24px 12px" });
  const page = node("table", [node("tr", [around])], {
    role: "presentation",
    style: "width:100%;border-collapse:collapse",
  });
  const body = node("body", [page], {
    class: "page",
    style: "margin:0;padding:0;background:#f6f3ec",
  });
  return `<!doctype html>\n${node("html", [head, body], { lang: language }) ?? ""}\n`;
}
