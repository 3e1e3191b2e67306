import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { loadAfterPaint } from "./after-paint.ts";
import { toBrandStyle } from "./brand-style.ts";
import { html, type SafeHtml, trustHtml } from "./html-page.ts";
import { type LanguageScripts, SOURCE_LANGUAGE } from "./page-language.ts";

/** Ground of the page in either theme: the tokens `asphalt-paper` in the notation that browsers read here. */
const GROUNDS = { light: "#fbfaf8", dark: "#131110" } as const;
const SOCIAL_IMAGE = { path: "/social-image.png", widthPx: 1200, heightPx: 630 } as const;
const HASH_LENGTH = 12;

export type PageHead = {
  title: string;
  /** One or two sentences for search engines and previews; empty for none. */
  description: string;
  /** Public address of the page. Undefined: not for search engines. */
  canonicalUrl: string | undefined;
};

export type PageBody = {
  html: string;
  /** Read by the script before its first render. */
  embedded: unknown;
  /** True for a page to be used at once, such as a form: a press before the scripts are there is lost. Otherwise it is painted first. */
  isUsedAtOnce: boolean;
};

export type PageTemplate = {
  /** A page with what the server rendered in a language. */
  fill(language: string, head: PageHead, body: PageBody | undefined): string;
  /** The page without content, which the browser renders in a language. */
  plain(language: string): string;
  /** The languages that pages can be in, beside English. */
  languages: LanguageScripts;
  /** The operator's accent, as a style sheet of its own: the policy allows none in the page. */
  brandStyle: { path: string; text: string };
};

/** JSON in which no HTML parser sees the end of its element or a comment. */
export function toEmbeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function previewTags(
  { title, description, canonicalUrl }: PageHead,
  brand: { name: string; siteUrl: string },
): SafeHtml {
  if (canonicalUrl === undefined) {
    return html`<meta name="robots" content="noindex">`;
  }
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${canonicalUrl}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${brand.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${canonicalUrl}">
<meta property="og:image" content="${brand.siteUrl}${SOCIAL_IMAGE.path}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${SOCIAL_IMAGE.widthPx}">
<meta property="og:image:height" content="${SOCIAL_IMAGE.heightPx}">
<meta property="og:image:alt" content="The mark of ${brand.name}">
<meta name="twitter:card" content="summary_large_image">`;
}

/**
 * Makes pages from one of the console's built files, such as `index.html`.
 *
 * @param input.file - It.
 * @param input.languages - Scripts of the languages it was built with.
 * @param input.siteUrl - Public address of the console, without a slash at the end.
 * @throws {Error} When the file has no place for a title or for content: it was built by another version.
 */
export function createPageTemplate(input: {
  file: string;
  brand: { name: string; accent: string };
  languages: LanguageScripts;
  siteUrl: string;
}): PageTemplate {
  const { brand, languages, siteUrl } = input;
  const source = readFileSync(input.file, "utf8").replace(
    /[ \t]*<meta name="(?:robots|theme-color)"[^>]*>\n?/g,
    "",
  );
  const parts =
    /^([\s\S]*?)<title>[^<]*<\/title>([\s\S]*?)<\/head>([\s\S]*?)<div id="root"><\/div>([\s\S]*)$/.exec(
      source,
    );
  if (parts === null) {
    throw new Error(`${input.file} has no title, head or #root to fill`);
  }
  const [, beforeTitle = "", headRest = "", beforeRoot = "", afterRoot = ""] = parts;

  const style = `${toBrandStyle(brand.accent)}\n`;
  const hash = createHash("sha256").update(style).digest("base64url").slice(0, HASH_LENGTH);
  const stylePath = `/brand.${hash}.css`;

  /** What is embedded need not be fetched early, and a page with its content says itself what needs scripts. */
  const headRestEmbedded = headRest.replace(
    /[ \t]*<link rel="preload" href="\/config\.json"[^>]*>\n?/,
    "",
  );
  const headRestPainted = loadAfterPaint(headRestEmbedded);

  const afterContent = afterRoot.replace(/[ \t]*<noscript>[\s\S]*?<\/noscript>\n?/, "");

  function toHeadRest(body: PageBody | undefined): string {
    if (body === undefined) {
      return headRest;
    }
    return body.isUsedAtOnce ? headRestEmbedded : headRestPainted;
  }

  /** Its script comes first: the others find its strings when they are loaded. */
  function inLanguage(language: string, head: string): string {
    const script = languages.get(language);
    return script === undefined
      ? head
      : `${html`<script type="module" src="${script}"></script>`.html}\n${head}`;
  }

  function fill(language: string, head: PageHead, body: PageBody | undefined): string {
    const root =
      body === undefined
        ? html`<div id="root"></div>`
        : html`<div id="root" data-prerendered>${trustHtml(body.html)}</div>
<script type="application/json" id="prerendered">${trustHtml(toEmbeddedJson(body.embedded))}</script>`;
    const before = beforeTitle.replace(/<html lang="[^"]*"/, () => `<html lang="${language}"`);
    return html`${trustHtml(before)}<title>${head.title}</title>${trustHtml(inLanguage(language, toHeadRest(body)))}<link rel="stylesheet" href="${stylePath}">
<meta name="theme-color" content="${GROUNDS.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${GROUNDS.dark}" media="(prefers-color-scheme: dark)">
${previewTags(head, { name: brand.name, siteUrl })}
</head>${trustHtml(beforeRoot)}${root}${trustHtml(body === undefined ? afterRoot : afterContent)}`
      .html;
  }

  const plainHead: PageHead = { title: brand.name, description: "", canonicalUrl: undefined };
  const plain = new Map(
    [SOURCE_LANGUAGE, ...languages.keys()].map((language) => [
      language,
      fill(language, plainHead, undefined),
    ]),
  );
  return {
    fill,
    plain: (language) => plain.get(language) ?? fill(language, plainHead, undefined),
    languages,
    brandStyle: { path: stylePath, text: style },
  };
}
