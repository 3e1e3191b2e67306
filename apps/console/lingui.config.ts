import babelExtractor from "@lingui/cli/api/extractors/babel";
import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";
import { serverSentences } from "./build/server-sentences.ts";

const SERVER = "<rootDir>/../server/src";
const DOMAIN = "<rootDir>/../../packages/domain/src";
/** Where the server says something that people read in the console, in a mail or on an invoice. */
const SAYS_TO_PEOPLE = [
  "<rootDir>/../../packages/contract/src",
  ...["access", "alerts", "billing", "errors", "keys", "mail", "pricing", "routes"].map(
    (folder) => `${DOMAIN}/${folder}`,
  ),
  ...["text/name-fault.ts", "files/picture-type.ts", "metering/to-outcome-label.ts"].map(
    (file) => `${DOMAIN}/${file}`,
  ),
  ...["checks", "http", "modules"].map((folder) => `${SERVER}/${folder}`),
  `${SERVER}/serving-health.ts`,
  ...["clickhouse", "guarded-outbound", "parse-cursor", "record-cache", "run-once"].map(
    (name) => `${SERVER}/platform/${name}.ts`,
  ),
  ...["storage-guard", "task-process", "task-thread"].map(
    (name) => `${SERVER}/platform/${name}.ts`,
  ),
];
/** What only programs and their developers read stays English. */
const SAYS_TO_PROGRAMS = [
  ...["http/openapi", "http/pages", "modules/gateway", "modules/events", "modules/metering"],
  // The command line alone.
  "modules/moves",
  ...["modules/agents/mcp", "modules/agents/tools", "modules/sso/scim"],
  ...["modules/identity/tokens", "billing/rehearsal"],
  ...["billing/e-invoice", "billing/subscription"],
].map((folder) => `**/${folder}/**`);
/** What is printed on invoices and credit notes. The console shows none of it, so it is a catalogue of its own. */
const ON_DOCUMENTS = ["to-printed-document", "unit-price"].map(
  (name) => `${SERVER}/modules/billing/documents/${name}.ts`,
);
/** The answers to questions, which the server says in the language of who asks, and what the grammar of questions assumed. */
const ANSWERS = [`${SERVER}/modules/intelligence/ask`, `${DOMAIN}/questions`];
const ASKS_MODELS = ["model-tools", "spend-tokens", "write-instructions"].map(
  (name) => `**/agents/model/${name}.ts`,
);
const TESTS = ["**/*.test.*", "**/*.fixture.*", "**/node_modules/**"];

/** Where the strings of the console are, and how its languages are kept. */
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: "en",
  locales: ["en", "de"],
  catalogs: [
    {
      path: "<rootDir>/src/locales/{locale}",
      include: ["<rootDir>/src", "<rootDir>/../../packages/ui/src"],
      exclude: TESTS,
    },
    {
      path: "<rootDir>/src/locales/server/server-words-{locale}",
      include: SAYS_TO_PEOPLE,
      exclude: [
        ...TESTS,
        ...SAYS_TO_PROGRAMS,
        "**/modules/intelligence/ask/**",
        ...ON_DOCUMENTS,
        ...ASKS_MODELS,
        "**/keys/placeholder-keys.ts",
      ],
    },
    {
      path: "<rootDir>/src/locales/server/document-words-{locale}",
      include: ON_DOCUMENTS,
    },
    {
      path: "<rootDir>/src/locales/server/answer-words-{locale}",
      include: ANSWERS,
      exclude: TESTS,
    },
  ],
  extractors: [serverSentences, babelExtractor],
  format: formatter({ lineNumbers: false, printPlaceholdersInComments: false }),
  orderBy: "origin",
  runtimeConfigModule: {
    i18n: ["@turnpike/ui/language", "i18n"],
    Trans: ["@turnpike/ui/language", "Trans"],
  },
});
