type HtmlPolicy = { createHTML(html: string): TrustedHTML };
type PolicyFactory = {
  createPolicy(name: string, rules: { createHTML(html: string): string }): HtmlPolicy;
};

declare global {
  interface DOMParser {
    parseFromString(html: string | TrustedHTML, type: DOMParserSupportedType): Document;
  }
  var trustedTypes: PolicyFactory | undefined;
}

/** The only policy that the content security policy of the pages allows. */
const POLICY = "server-html";

let policy: HtmlPolicy | undefined;

/**
 * Marks HTML that the server has rendered and escaped, so that the browser takes it. Browsers that know trusted types take no
 * other text as HTML from the console's scripts.
 */
export function trustServerHtml(html: string): string | TrustedHTML {
  policy ??= globalThis.trustedTypes?.createPolicy(POLICY, { createHTML: (text) => text });
  return policy?.createHTML(html) ?? html;
}

/** Reads HTML that the server has rendered and escaped into a page of its own, in which nothing runs. */
export function parseServerHtml(html: string): Document {
  return new DOMParser().parseFromString(trustServerHtml(html), "text/html");
}
