import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { catalogues } from "./apps/console/build/catalogues.ts";
import { messageMacros } from "./apps/console/build/message-macros.ts";
import { IS_SOAK } from "./packages/testkit/src/soak.ts";

const TESTS = ["{apps,packages,examples}/**/*.test.{ts,tsx}", "{tools,bench}/**/*.test.ts"];
const NOT_TESTS = ["**/node_modules/**", "**/dist/**", "**/dist-server/**"];
/** Run by `npm run soak` only. */
const SOAK_TESTS = "**/*.soak.test.ts";
/** Tests whose SQL could behave differently on another version of PostgreSQL. */
const SQL_TESTS = "{apps,packages}/**/*.sql.test.ts";
/** Locks and isolation are the same in every version: on PostgreSQL 15 in `npm run soak` only. */
const RACE_TESTS = "**/*.race.sql.test.ts";
/** Tests of what runs in browsers. */
const CONSOLE_TESTS = ["apps/console/**/*.test.{ts,tsx}", "packages/ui/**/*.test.{ts,tsx}"];
/** Journeys that wait for minutes of the product's own clock, on a product of their own. */
const WAITING_JOURNEYS = "e2e/**/*.waiting.spec.ts";
/** Journeys with programs of others that are installed first: run by `npm run soak` only. */
const SOAK_JOURNEYS = "e2e/**/*.soak.spec.ts";
/** Clone or pack, install and start the product: minutes of a machine, so a project of their own. */
const INSTALL_TESTS = ["tools/fresh-clone.test.ts", "tools/package.test.ts"];

/** Files called `test-…`, in the testkit or beside the tests, need a database. */
const NEEDS_DATABASE = /from "[^"]*\/test-/;

/** A DOM belongs to one file, and so do the modules that keep parts of it. */
const NEEDS_DOM = /@vitest-environment jsdom/;

function listTests(patterns: string[], text: RegExp): string[] {
  const files = globSync(patterns, {
    cwd: import.meta.dirname,
    exclude: (path) => path.includes("node_modules") || path.includes("dist"),
  });
  return files.filter((file) => text.test(readFileSync(`${import.meta.dirname}/${file}`, "utf8")));
}
const SCREEN_TESTS = listTests(CONSOLE_TESTS, NEEDS_DOM);

/** A busy machine is slow, not broken: these bounds only end what hangs. */
const HANGS_AFTER_MS = IS_SOAK ? 3_600_000 : 300_000;
const shared = {
  testTimeout: HANGS_AFTER_MS,
  hookTimeout: HANGS_AFTER_MS,
  expect: { poll: { timeout: 120_000, interval: 50 } },
  exclude: NOT_TESTS,
};
/**
 * The code under test keeps no state of its own in modules, so the files of a worker share them: loading the server anew
 * for each file took half of the time, and of the console, beside its screens, four fifths.
 */
const RESTORE_GLOBALS = "tools/vitest/restore-globals.ts";
const withSharedModules = { ...shared, isolate: false, setupFiles: [RESTORE_GLOBALS] };
const onPostgres15 = {
  ...withSharedModules,
  globalSetup: "tools/vitest/oldest-server.ts",
  setupFiles: [RESTORE_GLOBALS, "tools/vitest/skip-without-server.ts"],
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...withSharedModules,
          name: "unit",
          include: TESTS,
          exclude: [
            ...NOT_TESTS,
            ...CONSOLE_TESTS,
            ...INSTALL_TESTS,
            ...(IS_SOAK ? [] : [SOAK_TESTS]),
          ],
          globalSetup: "tools/vitest/embedded-server.ts",
        },
      },
      {
        plugins: [messageMacros(), catalogues()],
        test: {
          ...withSharedModules,
          name: "console",
          include: CONSOLE_TESTS,
          exclude: [...NOT_TESTS, ...SCREEN_TESTS],
        },
      },
      {
        plugins: [messageMacros(), catalogues()],
        test: {
          ...shared,
          name: "screens",
          include: SCREEN_TESTS,
          setupFiles: "apps/console/src/patient-queries.fixture.ts",
        },
      },
      {
        test: {
          ...onPostgres15,
          name: "postgres15",
          include: [SQL_TESTS],
          exclude: [...NOT_TESTS, RACE_TESTS],
        },
      },
      {
        test: {
          ...onPostgres15,
          name: "postgres15-whole",
          include: listTests(TESTS, NEEDS_DATABASE),
          exclude: [...NOT_TESTS, SOAK_TESTS],
        },
      },
      {
        test: {
          ...shared,
          name: "e2e",
          include: ["e2e/**/*.spec.ts"],
          exclude: [...NOT_TESTS, WAITING_JOURNEYS, SOAK_JOURNEYS],
          globalSetup: "e2e/support/shared-product.ts",
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          ...shared,
          name: "waiting",
          include: [WAITING_JOURNEYS],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          ...shared,
          name: "soak-journeys",
          include: [SOAK_JOURNEYS],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          ...shared,
          name: "install",
          include: INSTALL_TESTS,
          testTimeout: 900_000,
        },
      },
    ],
  },
});
