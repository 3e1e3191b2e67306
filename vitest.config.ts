import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const TESTS = ["{apps,packages,examples}/**/*.test.{ts,tsx}", "{tools,bench}/**/*.test.ts"];
const NOT_TESTS = ["**/node_modules/**", "**/dist/**", "**/dist-server/**"];
/** Clones, installs and starts: minutes of a machine, so a project of its own. */
const INSTALL_TESTS = "tools/fresh-clone.test.ts";

/** What is called `test-…`, in the testkit or beside the tests, needs a database. */
const NEEDS_DATABASE = /from "[^"]*\/test-/;

function listDatabaseTests(): string[] {
  const files = globSync(TESTS, {
    cwd: import.meta.dirname,
    exclude: (path) => path.includes("node_modules") || path.includes("dist"),
  });
  return files.filter((file) =>
    NEEDS_DATABASE.test(readFileSync(`${import.meta.dirname}/${file}`, "utf8")),
  );
}

/** A noisy machine is slow, not broken: these bounds only end what hangs. */
const shared = { testTimeout: 30_000, hookTimeout: 60_000, exclude: NOT_TESTS };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: TESTS,
          exclude: [...NOT_TESTS, INSTALL_TESTS],
          globalSetup: "tools/vitest/embedded-server.ts",
        },
      },
      {
        test: {
          ...shared,
          name: "postgres15",
          include: listDatabaseTests(),
          globalSetup: "tools/vitest/oldest-server.ts",
          setupFiles: "tools/vitest/skip-without-server.ts",
        },
      },
      {
        test: {
          ...shared,
          name: "e2e",
          include: ["e2e/**/*.spec.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: "install",
          include: [INSTALL_TESTS],
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
