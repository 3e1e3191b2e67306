import type { PrerenderedPage } from "@turnpike/contract/public-pages";
import { toLandingHead } from "#features/landing/landing-copy.view-model.ts";
import { toLegalHead } from "#features/legal/legal.view-model.ts";
import { toSignInHead } from "#features/sign-in/sign-in-head.view-model.ts";
import type { ClientConfig } from "#platform/client-config.ts";

export type PageHead = { title: string; description: string };

/**
 * Returns the title and description of a public page for tabs, search results and previews.
 *
 * @throws {Error} When the page's content is missing.
 */
export function toPageHead({ path, content }: PrerenderedPage, config: ClientConfig): PageHead {
  switch (path) {
    case "/":
      return toLandingHead(config, assertThere(content.landing));
    case "/terms":
      return toLegalHead("terms", config, assertThere(content.terms));
    case "/privacy":
      return toLegalHead("privacy", config, assertThere(content.privacy));
    case "/login":
      return toSignInHead("login", config.brand);
    case "/register":
      return toSignInHead("register", config.brand);
  }
}

function assertThere<Content>(content: Content | undefined): Content {
  if (content === undefined) {
    throw new Error("The page's content is missing");
  }
  return content;
}
