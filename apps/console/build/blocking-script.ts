import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const SOURCE_PATH = "/src/before-start.js";

/** Vite plugin for a small script that runs before the page paints, with a hashed name like every other file. */
export function blockingScript(): Plugin {
  return {
    name: "blocking-script",
    async buildStart() {
      if (this.environment.mode === "build") {
        const file = fileURLToPath(new URL(`..${SOURCE_PATH}`, import.meta.url));
        this.emitFile({
          type: "asset",
          name: "before-start.js",
          source: await readFile(file, "utf8"),
        });
      }
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const built = Object.keys(bundle).find((name) => /before-start-.*\.js$/.test(name));
        const src = built === undefined ? SOURCE_PATH : `/${built}`;
        return [{ tag: "script", attrs: { src }, injectTo: "head-prepend" }];
      },
    },
  };
}
