import type { Plugin } from "vite";

/** The fonts of the first screen; other alphabets load when a text needs them. */
const FIRST_SCREEN = /(inter|jetbrains-mono)-latin-wght-normal-.*\.woff2$/;

/** Vite plugin that preloads the first screen's fonts along with the style sheet, so that no text moves when they arrive. */
export function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((fileName) => FIRST_SCREEN.test(fileName))
          .map((fileName) => ({
            tag: "link",
            attrs: {
              rel: "preload",
              href: `/${fileName}`,
              as: "font",
              type: "font/woff2",
              crossorigin: "anonymous",
            },
            injectTo: "head" as const,
          })),
    },
  };
}
