import type { Plugin } from "vite";

/** Where the toast library puts its style sheet into the page at run time. */
const SONNER = /\/sonner\/dist\/index\.mjs$/;
/** The one call, with the whole sheet as its argument: a string literal that ends where the statement does. */
const INJECTION = /^__insertCSS\("(?:[^"\\]|\\.)*"\);?$/m;

/**
 * Takes the call that adds a `<style>` element out of the toast library, because the server's policy allows none; the
 * same rules are imported as a style sheet.
 *
 * @throws {Error} When the call is not there: another version of the library does it in another way.
 */
export function stripStyleInjection(source: string): string {
  const stripped = source.replace(INJECTION, "");
  if (stripped === source) {
    throw new Error("sonner adds its styles in another way than this plugin knows");
  }
  return stripped;
}

/** Vite plugin: no library adds style elements at run time. */
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
