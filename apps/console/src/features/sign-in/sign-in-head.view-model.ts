/** The titles and descriptions of the sign-in pages for tabs, search results and previews. */
export function toSignInHead(
  page: "login" | "register",
  { name }: { name: string },
): { title: string; description: string } {
  return page === "login"
    ? {
        title: `Sign in · ${name}`,
        description: `Sign in to ${name}: your keys, usage and plan.`,
      }
    : {
        title: `Create an account · ${name}`,
        description: `Create an account with ${name}, get a key and make the first call in a few minutes.`,
      };
}
