import type { Plugin } from "vite";

/** Where the toast library adds its style sheet to the page at run time. */
const SONNER = /\/sonner\/dist\/index\.mjs$/;
/** The call with the whole sheet as its argument: a string literal that ends with the statement. */
const INJECTION = /^__insertCSS\("(?:[^"\\]|\\.)*"\);?$/m;

/**
 * Removes the call that adds a `<style>` element from the toast library, because the server's policy blocks it; the same
 * rules are imported as a style sheet.
 *
 * @throws {Error} When the call is missing, because another version of the library injects its styles differently.
 */
export function stripStyleInjection(source: string): string {
  const stripped = source.replace(INJECTION, "");
  if (stripped === source) {
    throw new Error("sonner adds its styles in another way than this plugin knows");
  }
  return stripped;
}

/** Vite plugin that keeps libraries from adding style elements at run time. */
export function withoutStyleInjection(): Plugin {
  return {
    name: "without-style-injection",
    apply: "build",
    transform: {
      filter: { id: SONNER },
      handler: (code) => ({ code: stripStyleInjection(code), map: null }),
    },
  };
}
