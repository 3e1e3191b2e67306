import { globSync, realpathSync } from "node:fs";
import tailwindcss from "@tailwindcss/vite";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { blockingScript } from "./build/blocking-script.ts";
import { catalogues } from "./build/catalogues.ts";
import { contractRoutes } from "./build/contract-routes.ts";
import { type Beginning, nameFirstChunks } from "./build/first-chunks.ts";
import { messageMacros } from "./build/message-macros.ts";
import { preloadFonts } from "./build/preload-fonts.ts";
import { withoutStyleInjection } from "./build/strip-style-injection.ts";

/** The server that `npm run dev` proxies to. */
const SERVER_ORIGIN = `http://localhost:${process.env["PORT"] ?? "3000"}`;

const SOURCE = `${import.meta.dirname}/src`;
const UI_LAYERS = realpathSync(`${import.meta.dirname}/../../packages/ui/src/layers`);

/** The screen of a route, which the router's plugin takes out of the route's file. */
function screenOf(route: string): string {
  return `${SOURCE}/routes/${route}.tsx?tsr-split=component`;
}

/** Each route below the frame. */
const SCREENS = globSync("_app/**/*.tsx", { cwd: `${SOURCE}/routes` }).map((file) =>
  file.replace(/\.tsx$/, ""),
);

/** What floats above screens, loaded together once a person acts. */
const LAYERS = globSync("*.tsx", { cwd: UI_LAYERS }).map((file) => `${UI_LAYERS}/${file}`);

/** What visits begin with: a page to be read, a form to sign in, or a screen in its frame. */
const BEGINNINGS: readonly Beginning[] = [
  { name: "reading", entries: [`${SOURCE}/main-reading.tsx`], isScript: true },
  { name: "application", entries: [`${SOURCE}/main.tsx`], isScript: true, isBeforeNext: true },
  { name: "sign-in", entries: [screenOf("login"), screenOf("register")] },
  { name: "frame", entries: [screenOf("_app")], isBeforeNext: true },
  { name: "layers", entries: LAYERS },
  { name: "screens", entries: SCREENS.map(screenOf), isLeftAlone: true },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    contractRoutes(),
    messageMacros(),
    catalogues(),
    // Runs before React, because it moves each screen into its own file.
    tanstackRouter({
      target: "react",
      autoCodeSplitting: true,
      addExtensions: true,
      quoteStyle: "double",
      semicolons: true,
    }),
    react(),
    tailwindcss(),
    preloadFonts(),
    blockingScript(),
    withoutStyleInjection(),
  ],
  build: {
    outDir: "dist",
    // The first versions with light-dark(), relative colours and CSS nesting.
    target: ["chrome125", "firefox128", "safari18"],
    // The server's policy blocks data: fonts, and a hashed file is cached forever.
    assetsInlineLimit: 0,
    // The polyfill would be an inline script.
    modulePreload: { polyfill: false },
  },
  // One command builds both: the files for browsers, and the renderer of public pages for the server.
  builder: {},
  environments: {
    client: {
      build: {
        rolldownOptions: {
          // The application, and the pages to be read, which do without most of it.
          input: {
            index: `${import.meta.dirname}/index.html`,
            reading: `${import.meta.dirname}/reading.html`,
            // The server puts it before the scripts of a page in this language.
            "language-de": `${SOURCE}/locales/de.ts`,
          },
          output: {
            codeSplitting: {
              groups: [
                // Closed by itself: what a module needs, its beginnings need as well.
                {
                  name: nameFirstChunks(BEGINNINGS),
                  debugName: "first",
                  includeDependenciesRecursively: false,
                },
              ],
            },
          },
        },
      },
    },
    ssr: {
      // Bundles everything: the server loads the file by its path and shares no library with it.
      resolve: { noExternal: true },
      define: { "process.env.NODE_ENV": '"production"' },
      build: {
        outDir: "dist-server",
        ssr: "src/entry-server.tsx",
        copyPublicDir: false,
        // One file, so that a running process is not affected by a later build.
        rolldownOptions: { output: { codeSplitting: false } },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      [
        "/config.json",
        "/page-data",
        "/health",
        "/v1",
        "/auth",
        "/idp",
        "/docs",
        "/reference",
        // The way back of a sign-in in a window or a frame.
        "^/login\\?.*\\bstate=(window|frame)\\.",
      ].map((path) => [path, SERVER_ORIGIN]),
    ),
  },
});
