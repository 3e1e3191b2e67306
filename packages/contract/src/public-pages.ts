import type { z } from "zod";
import type { meter, plan } from "./catalog.ts";

/** Pages that everybody may see, by path: the server renders them before any script runs. */
export const PUBLIC_PATHS = ["/", "/login", "/register", "/terms", "/privacy"] as const;
export type PublicPath = (typeof PUBLIC_PATHS)[number];

/** What the landing page shows beside the public configuration. */
export type LandingContent = {
  /** Newest versions of the public plans, in the operator's order. */
  plans: z.infer<typeof plan>[];
  meters: z.infer<typeof meter>[];
  /** The operator's own words; undefined takes the page's. */
  headline: string | undefined;
  summary: string | undefined;
  /** Path and query of a GET that works with any key: what the samples call. */
  samplePath: string;
  /** True while no upstream is configured and the demo API answers. */
  isDemo: boolean;
};

/** One of the operator's legal texts. */
export type LegalContent = {
  title: string;
  /** ISO 8601 day, such as `2026-11-21`. */
  updatedOn: string;
  /** Safe to put into the page: rendered by the server from Markdown, raw HTML escaped. */
  html: string;
  /** Second and third level, in order; `id` is the anchor in `html`. */
  headings: { depth: number; id: string; text: string }[];
  /** True when the operator has not put a text of their own in its place. */
  isDefault: boolean;
  /** Settings that the shipped text needs and the operator has not given, such as `legal.contact`. */
  unset: string[];
};

/** What a page needs beside `/config.json`, also answered at `/page-data/<name>`. */
export type PageContent = {
  landing: LandingContent;
  terms: LegalContent;
  privacy: LegalContent;
};

/** What the server embeds in a page that it rendered, so that the first render in the browser is the same. */
export type PrerenderedPage = {
  path: PublicPath;
  /** As `/config.json` answers. */
  config: unknown;
  content: Partial<PageContent>;
};
