import tailwindcss from "@tailwindcss/vite";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { blockingScript } from "./build/blocking-script.ts";
import { contractRoutes } from "./build/contract-routes.ts";
import { preloadFonts } from "./build/preload-fonts.ts";
import { withoutStyleInjection } from "./build/strip-style-injection.ts";

/** The server that `npm run dev` proxies to. */
const SERVER_ORIGIN = `http://localhost:${process.env["PORT"] ?? "3000"}`;

/** True for what of a route is loaded with the first page: its address, parameters and loader, without its screen. */
function isBeginningOfRoute(id: string): boolean {
  return id.includes("/src/routes/") && !id.includes("?");
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    contractRoutes(),
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
          output: {
            // The beginnings of all routes in one file: each lists what its screen needs, and together they list it once.
            codeSplitting: { groups: [{ name: "route-tree", test: isBeginningOfRoute }] },
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
