import {
  type LandingContent,
  type LegalContent,
  type PageContent,
  type PrerenderedPage,
  PUBLIC_PATHS,
  type PublicPath,
} from "@turnpike/contract/public-pages";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { Logger } from "#platform/logger.ts";
import { type RawCall, type RawRoute, sendJson } from "../raw-route.ts";
import { afterPaintRoute } from "./after-paint.ts";
import { type PagePolicy, sendConsolePage } from "./console-files.ts";
import { html, sendCached } from "./html-page.ts";
import { choosePageLanguage } from "./page-language.ts";
import type { PageTemplate } from "./page-template.ts";
import type { RenderPublicPage } from "./render-public-page.ts";
import { isSignInReturn, sendSignInReturn } from "./sign-in-return.ts";

export type PageTemplates = {
  /** Of the console itself, which shows any page. */
  application: PageTemplate;
  /** Of a page that only takes over content that is there, with a fraction of the scripts. */
  reading: PageTemplate;
};

export type PublicPagesDeps = {
  /** Undefined: the console was not built, and there are no pages. */
  templates: PageTemplates | undefined;
  render: RenderPublicPage;
  /** What `/config.json` answers. */
  config: unknown;
  siteUrl: string;
  policy: PagePolicy;
  /** Newest public catalogue. Throws when it cannot be read. */
  getCatalog(): Promise<Pick<LandingContent, "plans" | "meters">>;
  /** What the configuration and the documents of the upstreams say at the moment. */
  readLanding(): Omit<LandingContent, "plans" | "meters">;
  legal: { terms: LegalContent; privacy: LegalContent };
  /** Paths of pages that others serve and everybody may read: documentation, a public reference. */
  listFurther(): Promise<readonly string[]>;
  monotonicMs(): number;
  logger: Pick<Logger, "warn">;
};

/** A page that could not be rendered is tried again after this, not for every visitor in between. */
const RETRY_AFTER_MS = 10_000;
const YEAR_SECONDS = 365 * 24 * 3600;
const CONTENT_OF: Readonly<Partial<Record<PublicPath, keyof PageContent>>> = {
  "/": "landing",
  "/terms": "terms",
  "/privacy": "privacy",
};
/**
 * Pages with a form. With a query their first view depends on it, such as on a token from a mail: the browser renders those. And
 * they are used as soon as they are seen.
 */
const FORMS: readonly PublicPath[] = ["/login", "/register"];

function isContentName(name: string): name is keyof PageContent {
  return name === "landing" || name === "terms" || name === "privacy";
}

async function toSitemap({
  siteUrl,
  legal,
  listFurther,
}: Pick<PublicPagesDeps, "siteUrl" | "legal" | "listFurther">): Promise<string> {
  const pages = [
    { path: "/", changedOn: undefined },
    { path: "/register", changedOn: undefined },
    { path: "/terms", changedOn: legal.terms.updatedOn },
    { path: "/privacy", changedOn: legal.privacy.updatedOn },
    ...(await listFurther()).map((path) => ({ path, changedOn: undefined })),
  ];
  const entries = pages.map(
    ({ path, changedOn }) =>
      html`<url><loc>${siteUrl}${path}</loc>${changedOn === undefined ? undefined : html`<lastmod>${changedOn}</lastmod>`}</url>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${
    html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}</urlset>`.html
  }\n`;
}

/**
 * Answers the pages that everybody may see with their content in them, so that they can be read before and without any
 * script; and beside them what search engines ask for.
 */
export function createPublicPageRoutes(deps: PublicPagesDeps): RawRoute[] {
  const { templates, siteUrl } = deps;
  const rendered = new Map<string, { key: string; text: string; goodUntilMs: number }>();

  async function getContent<Name extends keyof PageContent>(
    name: Name,
  ): Promise<Pick<PageContent, Name>>;
  async function getContent(name: keyof PageContent): Promise<Partial<PageContent>> {
    return name === "landing"
      ? { landing: { ...deps.readLanding(), ...(await deps.getCatalog()) } }
      : { [name]: deps.legal[name] };
  }

  async function loadPage(path: PublicPath): Promise<PrerenderedPage | undefined> {
    const name = CONTENT_OF[path];
    try {
      const content = name === undefined ? {} : await getContent(name);
      return { path, config: deps.config, content };
    } catch (error) {
      deps.logger.warn({ err: error, path }, "The content of a public page could not be loaded");
      return;
    }
  }

  async function renderPage(
    templates: PageTemplates,
    path: PublicPath,
    language: string,
  ): Promise<string> {
    const plain = templates.application.plain(language);
    const place = `${language} ${path}`;
    const page = await loadPage(path);
    if (page === undefined) {
      return plain;
    }
    const key = JSON.stringify(page);
    const known = rendered.get(place);
    if (known?.key === key && deps.monotonicMs() < known.goodUntilMs) {
      return known.text;
    }
    const { html: body, ...head } = await deps.render(page, language);
    if (body === undefined) {
      const goodUntilMs = deps.monotonicMs() + RETRY_AFTER_MS;
      rendered.set(place, { key, text: plain, goodUntilMs });
      return plain;
    }
    const canonicalUrl = path === "/" ? `${siteUrl}/` : siteUrl + path;
    const isUsedAtOnce = FORMS.includes(path);
    const text = templates[isUsedAtOnce ? "application" : "reading"].fill(
      language,
      { ...head, canonicalUrl },
      { html: body, embedded: page, isUsedAtOnce },
    );
    rendered.set(place, { key, text, goodUntilMs: Number.POSITIVE_INFINITY });
    return text;
  }

  async function sendPage({ req, res }: RawCall, path: PublicPath): Promise<void> {
    if (path === "/login" && isSignInReturn(req)) {
      sendSignInReturn(req, res);
      return;
    }
    if (templates === undefined) {
      throw new AppError({
        code: "RESOURCE_NOT_FOUND",
        publicMessage: "There is nothing at this address.",
      });
    }
    const isAddressed = FORMS.includes(path) && (req.url ?? "").includes("?");
    const { application } = templates;
    const language = choosePageLanguage(req, application.languages);
    const text = isAddressed
      ? application.plain(language)
      : await renderPage(templates, path, language);
    sendConsolePage(req, res, { text, policy: deps.policy });
  }

  function sendText({ req, res }: RawCall, type: string, text: string): Promise<void> {
    sendCached(req, res, { status: 200, type, text });
    return Promise.resolve();
  }

  const get = (path: string, handle: RawRoute["handle"]): RawRoute => ({
    method: "GET",
    path,
    handle,
  });
  const robots = `User-agent: *\nAllow: /\nDisallow: /idp/\nDisallow: /v1/\nAllow: /v1/reference\n\nSitemap: ${siteUrl}/sitemap.xml\n`;
  return [
    ...PUBLIC_PATHS.map((path) => get(path, (call) => sendPage(call, path))),
    get("/page-data/{name}", async ({ res, params }) => {
      const name = params["name"] ?? "";
      if (!isContentName(name)) {
        throw resourceNotFound("page");
      }
      sendJson(res, 200, (await getContent(name))[name]);
    }),
    get("/robots.txt", (call) => sendText(call, "text/plain; charset=utf-8", robots)),
    get("/sitemap.xml", async (call) =>
      sendText(call, "application/xml; charset=utf-8", await toSitemap(deps)),
    ),
    ...(templates === undefined
      ? []
      : [
          afterPaintRoute,
          get(templates.application.brandStyle.path, ({ req, res }) => {
            sendCached(req, res, {
              status: 200,
              type: "text/css; charset=utf-8",
              text: templates.application.brandStyle.text,
              headers: { "cache-control": `public, max-age=${String(YEAR_SECONDS)}, immutable` },
            });
            return Promise.resolve();
          }),
        ]),
  ];
}
