import type { z } from "zod";
import type { meter, plan } from "./catalog.ts";

/** The public pages, by path. The server renders them before any script runs. */
export const PUBLIC_PATHS = ["/", "/login", "/register", "/terms", "/privacy"] as const;
export type PublicPath = (typeof PUBLIC_PATHS)[number];

/** What the landing page shows in addition to the public configuration. */
export type LandingContent = {
  /** Newest versions of the public plans, in the operator's order. */
  plans: z.infer<typeof plan>[];
  meters: z.infer<typeof meter>[];
  /** The operator's own text. Undefined: the page's default. */
  headline: string | undefined;
  summary: string | undefined;
  /** Path and query of a GET request that works with any key, for the code samples. */
  samplePath: string;
  /** True while no upstream is configured and the demo API answers. */
  isDemo: boolean;
};

/** One of the operator's legal texts. */
export type LegalContent = {
  title: string;
  /** ISO 8601 day, such as `2026-11-21`. */
  updatedOn: string;
  /** Safe to embed: the server renders it from Markdown with raw HTML escaped. */
  html: string;
  /** Second and third level headings, in order; `id` is the anchor in `html`. */
  headings: { depth: number; id: string; text: string }[];
  /** True while the shipped text is shown, because the operator has not replaced it. */
  isDefault: boolean;
  /** Settings that the shipped text needs but the operator has not set, such as `legal.contact`. */
  unset: string[];
};

/** What a page needs in addition to `/config.json`, also available at `/page-data/<name>`. */
export type PageContent = {
  landing: LandingContent;
  terms: LegalContent;
  privacy: LegalContent;
};

/** The data that the server embeds in a rendered page, so that the browser's first render is identical. */
export type PrerenderedPage = {
  path: PublicPath;
  /** The answer of `/config.json`. */
  config: unknown;
  content: Partial<PageContent>;
};
