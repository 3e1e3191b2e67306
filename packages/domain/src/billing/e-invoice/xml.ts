/** A piece of XML, or nothing. */
export type Xml = string | undefined;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text as XML and HTML hold it. Characters that XML 1.0 cannot hold are left out. */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
}

type Attributes = Readonly<Record<string, string>>;

function toTag(name: string, attributes: Attributes): string {
  return `<${name}${Object.entries(attributes)
    .map(([attribute, value]) => ` ${attribute}="${escapeText(value)}"`)
    .join("")}>`;
}

/** An element with text; nothing when there is none. */
export function leaf(name: string, text: string | undefined, attributes: Attributes = {}): Xml {
  return text === undefined || text === ""
    ? undefined
    : `${toTag(name, attributes)}${escapeText(text)}</${name}>`;
}

/** An element with others inside; nothing when there are none. */
export function node(name: string, children: readonly Xml[], attributes: Attributes = {}): Xml {
  const inside = children.filter((child) => child !== undefined).join("");
  return inside === "" ? undefined : `${toTag(name, attributes)}${inside}</${name}>`;
}

export function toXmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root ?? ""}\n`;
}
