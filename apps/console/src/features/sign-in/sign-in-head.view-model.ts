import { t } from "@lingui/core/macro";

/** The titles and descriptions of the sign-in pages for tabs, search results and previews. */
export function toSignInHead(
  page: "login" | "register",
  { name }: { name: string },
): { title: string; description: string } {
  return page === "login"
    ? {
        title: t`Sign in · ${name}`,
        description: t`Sign in to ${name}: your keys, usage and plan.`,
      }
    : {
        title: t`Create an account · ${name}`,
        description: t`Create an account with ${name}, get a key and make the first call in a few minutes.`,
      };
}
