import tailwindcss from "@tailwindcss/vite";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { blockingScript } from "./build/blocking-script.ts";
import { contractRoutes } from "./build/contract-routes.ts";
import { preloadFonts } from "./build/preload-fonts.ts";
import { withoutStyleInjection } from "./build/strip-style-injection.ts";

/** Where `npm run dev` finds the server. */
const SERVER_ORIGIN = `http://localhost:${process.env["PORT"] ?? "3000"}`;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    contractRoutes(),
    // Before React: it moves each screen into a file of its own.
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
    // The server's policy allows no data: fonts, and a hashed file is cached for good.
    assetsInlineLimit: 0,
    // The polyfill would be an inline script.
    modulePreload: { polyfill: false },
  },
  // One command builds both: what browsers load, and what the server renders public pages with.
  builder: {},
  environments: {
    ssr: {
      // Everything inside: the server knows the file by its path and shares no library with it.
      resolve: { noExternal: true },
      define: { "process.env.NODE_ENV": '"production"' },
      build: {
        outDir: "dist-server",
        ssr: "src/entry-server.tsx",
        copyPublicDir: false,
        // One file, so that it is whole in the process that has loaded it, whatever is built later.
        rolldownOptions: { output: { codeSplitting: false } },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/config.json", "/page-data", "/health", "/v1", "/auth", "/idp", "/docs"].map((path) => [
        path,
        SERVER_ORIGIN,
      ]),
    ),
  },
});
