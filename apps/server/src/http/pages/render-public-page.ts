import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { PrerenderedPage } from "@turnpike/contract/public-pages";
import type { Logger } from "#platform/logger.ts";
import { SOURCE_LANGUAGE } from "./page-language.ts";

declare global {
  /** What the script of a language leaves behind for the console. */
  var turnpikeLanguage: unknown;
}

/** What the built console says about a page that it rendered. */
export type RenderedPage = {
  /** Goes into `#root`. Undefined: the browser renders the page. */
  html: string | undefined;
  title: string;
  description: string;
};

type Render = (page: PrerenderedPage) => Promise<RenderedPage>;

/** Renders a page in a language. */
export type RenderPublicPage = (page: PrerenderedPage, language: string) => Promise<RenderedPage>;

/** Longer than any of these pages takes on a slow machine; after this the visitor gets the plain page. */
const RENDER_TIMEOUT_MS = 2_000;

function isRenderer(value: unknown): value is Render {
  return typeof value === "function";
}

/** @param script - Of the language, as browsers load it; undefined for English. */
async function loadRenderer(file: string, language: string, script?: string): Promise<Render> {
  // The strings are found when the module is loaded, as in a browser: each language is a module of its own.
  if (script !== undefined) {
    await import(pathToFileURL(script).href);
  }
  const url = pathToFileURL(file);
  url.searchParams.set("language", language);
  const built: unknown = await import(url.href);
  delete globalThis.turnpikeLanguage;
  const render =
    typeof built === "object" && built !== null && "renderPublicPage" in built
      ? built.renderPublicPage
      : undefined;
  if (!isRenderer(render)) {
    throw new Error(`${file} exports no renderPublicPage`);
  }
  return render;
}

async function loadRenderers(
  file: string,
  languages: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Render>> {
  const renderers = new Map([[SOURCE_LANGUAGE, await loadRenderer(file, SOURCE_LANGUAGE)]]);
  // One after the other: what one finds is not for another.
  for (const [language, script] of languages) {
    renderers.set(language, await loadRenderer(file, language, script));
  }
  return renderers;
}

function assertRendered(page: RenderedPage): RenderedPage {
  const isWhole =
    typeof page.html === "string" &&
    typeof page.title === "string" &&
    typeof page.description === "string";
  if (!isWhole) {
    throw new Error("The built console answered no page");
  }
  // The policy blocks inline styles and scripts, and the page would miss them. Text in quotes is not an attribute.
  const tags = page.html?.replace(/"[^"]*"/g, '""') ?? "";
  const refused = /<[a-z][^>]*\s(?:style|on[a-z]+)=/i.exec(tags)?.[0];
  if (refused !== undefined) {
    throw new Error(`The page holds what the content security policy refuses: ${refused}`);
  }
  return page;
}

async function withinTimeLimit<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error("Rendering a public page took too long")),
    RENDER_TIMEOUT_MS,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Renders public pages by the console that was built for the server, which is found by its path: its source is never
 * imported.
 *
 * @param input.file - The built module.
 * @param input.languages - Files of the scripts of its languages, by tag.
 * @returns A function that never throws: what fails is logged, and the browser is left to render the page.
 */
export function createPageRenderer(input: {
  file: string;
  languages: ReadonlyMap<string, string>;
  brandName: string;
  logger: Pick<Logger, "warn" | "error">;
}): RenderPublicPage {
  const plain: RenderedPage = { html: undefined, title: input.brandName, description: "" };
  if (!existsSync(input.file)) {
    input.logger.warn({ file: input.file }, "Public pages are rendered by the browser alone");
    return () => Promise.resolve(plain);
  }
  // Loaded at once, so that page and renderer come from one build, also when another is built later.
  const renderers = loadRenderers(input.file, input.languages);
  renderers.catch(() => undefined);

  return async (page, language) => {
    try {
      const found = await renderers;
      const render = found.get(language) ?? found.get(SOURCE_LANGUAGE);
      if (render === undefined) {
        return plain;
      }
      return assertRendered(await withinTimeLimit(render(page)));
    } catch (error) {
      input.logger.error({ err: error, path: page.path }, "A public page could not be rendered");
      return plain;
    }
  };
}
