import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

/** Where the strings of the console are, and how its languages are kept. */
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: [
    {
      path: "<rootDir>/src/locales/{locale}",
      include: ["<rootDir>/src", "<rootDir>/../../packages/ui/src"],
      exclude: ["**/*.test.*", "**/*.fixture.*", "**/node_modules/**"],
    },
  ],
  format: formatter({ lineNumbers: false, printPlaceholdersInComments: false }),
  orderBy: "origin",
  runtimeConfigModule: {
    i18n: ["@turnpike/ui/language", "i18n"],
    Trans: ["@turnpike/ui/language", "Trans"],
  },
});
