import { existsSync } from "node:fs";
import { join } from "node:path";
import { createConsoleFiles, TEMPLATES } from "#http/pages/console-files.ts";
import { createDocumentationPages } from "#http/pages/documentation-pages.ts";
import { loadLegalText } from "#http/pages/legal-texts.ts";
import { createPageRedirect } from "#http/pages/page-address.ts";
import { findLanguageScripts } from "#http/pages/page-language.ts";
import { createPageTemplate } from "#http/pages/page-template.ts";
import { createPublicPageRoutes, type PageTemplates } from "#http/pages/public-pages.ts";
import { OPERATOR_REFERENCE_PATH } from "#http/pages/reference/operator-reference.ts";
import { createPageRenderer } from "#http/pages/render-public-page.ts";
import type { RawRoute } from "#http/raw-route.ts";
import { createPublicCatalog } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { ChangeFeed } from "#platform/change-feed.ts";
import type { Config } from "./config.ts";
import { toPagePolicy } from "./page-policy.ts";
import { samplePathOf } from "./sample-path.ts";

export type PublicSite = {
  routes: RawRoute[];
  serveConsole: ReturnType<typeof createConsoleFiles>;
};

/** Lists what everybody may read beside the public pages of the console, for search engines. */
function createPageList({ checkout, reference }: Config): () => Promise<string[]> {
  const pages = createDocumentationPages(join(checkout, "docs"));
  return async () => {
    const guides = await pages.list("guides");
    const errors = await pages.list("errors");
    const ofDocs = [...guides, ...errors].map(({ href }) => href);
    const ofReference = reference.visibility === "public" ? [OPERATOR_REFERENCE_PATH] : [];
    return ["/docs", "/docs/errors", "/v1/reference", ...ofReference, ...ofDocs];
  };
}

/** Undefined when the console was not built. */
function loadTemplates(
  folder: string,
  site: Omit<Parameters<typeof createPageTemplate>[0], "file">,
): PageTemplates | undefined {
  const application = join(folder, TEMPLATES.application);
  const reading = join(folder, TEMPLATES.reading);
  return existsSync(application) && existsSync(reading)
    ? {
        application: createPageTemplate({ file: application, ...site }),
        reading: createPageTemplate({ file: reading, ...site }),
      }
    : undefined;
}

/**
 * Puts together what a visitor sees: the public pages with the operator's brand, texts and catalogue in them, and the
 * files of the built console.
 *
 * @param input.publicConfig - What `/config.json` answers.
 * @throws {StartupError} `CONFIG_INVALID` when a legal text cannot be read.
 */
export function createPublicSite(input: {
  config: Config;
  services: AppServices;
  changes: Pick<ChangeFeed, "subscribe">;
  consoleUrl: string;
  publicConfig: unknown;
  /** What the documents of the upstreams give as a first call. */
  findSamplePath: () => string | undefined;
}): PublicSite {
  const { config, services, consoleUrl } = input;
  const folder = join(config.checkout, "apps/console/dist");
  const assets = join(folder, "assets");
  const languages = existsSync(assets) ? findLanguageScripts(assets) : new Map<string, string>();
  const templates = loadTemplates(folder, { brand: config.brand, languages, siteUrl: consoleUrl });
  const policy = toPagePolicy(config.identity, consoleUrl);

  const catalog = createPublicCatalog({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
  });
  input.changes.subscribe(catalog.applyChange);

  const legal = {
    checkout: config.checkout,
    brandName: config.brand.name,
    consoleUrl,
    legal: config.legal,
  };
  const isDemo = config.upstreams === undefined;
  const redirect = createPageRedirect(consoleUrl);
  const atOwnAddress = (route: RawRoute): RawRoute => ({
    ...route,
    handle: (call) => (redirect(call.req, call.res) ? undefined : route.handle(call)),
  });
  const serveConsole = createConsoleFiles({
    folder,
    policy,
    template: templates?.application,
  });
  const pages = createPublicPageRoutes({
    templates,
    render: createPageRenderer({
      file: join(config.checkout, "apps/console/dist-server/entry-server.js"),
      languages: new Map([...languages].map(([language, path]) => [language, join(folder, path)])),
      brandName: config.brand.name,
      logger: services.logger,
    }),
    config: input.publicConfig,
    siteUrl: consoleUrl,
    policy,
    getCatalog: catalog.get,
    readLanding: () => ({
      headline: config.landing.headline,
      summary: config.landing.summary,
      samplePath: config.landing.samplePath ?? input.findSamplePath() ?? samplePathOf(config),
      isDemo,
    }),
    legal: {
      terms: loadLegalText(legal, "terms"),
      privacy: loadLegalText(legal, "privacy"),
    },
    listFurther: createPageList(config),
    monotonicMs: services.clock.monotonicMs,
    logger: services.logger,
  });
  return {
    routes: pages.map(atOwnAddress),
    serveConsole: (req, res) => redirect(req, res) || serveConsole(req, res),
  };
}
