// @vitest-environment jsdom
import type { LandingContent, LegalContent } from "@turnpike/contract/public-pages";
import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { makeTestPlatform } from "#platform/render-with-platform.tsx";
import { ReadingPage } from "./reading-page.tsx";

const LANDING: LandingContent = {
  plans: [],
  meters: [],
  headline: undefined,
  summary: undefined,
  samplePath: "/v1/cities/berlin",
  isDemo: true,
};
const LEGAL: LegalContent = {
  title: "Terms of Acme",
  updatedOn: "2026-03-04",
  html: "<p>Text</p>",
  headings: [],
  isDefault: false,
  unset: [],
};

it.each([
  ["/", { landing: LANDING }, "Three steps to your first response"],
  ["/terms", { terms: LEGAL }, "Terms of Acme"],
  ["/privacy", { privacy: { ...LEGAL, title: "Privacy of Acme" } }, "Privacy of Acme"],
])("needs nothing of the application for %s, and links to the forms", (_, content, text) => {
  const { config } = makeTestPlatform();
  const page = renderToString(<ReadingPage content={content} config={config} />);
  expect(page).toContain(text);
  expect(page).toMatch(/<a [^>]*href="\/register"/);
});
