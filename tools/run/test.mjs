import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "../ensure-chromium.mjs";
import { ensureConsole } from "./console.mjs";
import { listFiles } from "./hash-files.mjs";
import { ROOT } from "./paths.mjs";
import { runProgram } from "./program.mjs";
import { runChecks } from "./verify.mjs";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

/** Suites in the order in which they run: the cheapest answer first. */
const SUITES = [["unit", "postgres15"], ["e2e"], ["install"]];

/** The tests that have a longer version: load, and faults under load. */
const SOAK_FILES = [".soak.", ".fault."];

/** A developer's own instance must be out of reach of every test. */
const INSTANCE_SETTINGS = /^(DATABASE_URL|PORT|GATEWAY_PORT|TURNPIKE_.*|PG[A-Z]+)$/;

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @param {NodeJS.ProcessEnv} [more] */
function testEnvironment(more = {}) {
  const kept = Object.entries(process.env).filter(([name]) => !INSTANCE_SETTINGS.test(name));
  return { ...Object.fromEntries(kept), ...more };
}

/** @param {string[]} projects */
const projectOptions = (projects) => projects.flatMap((project) => ["--project", project]);

/** The fast loop; arguments go to vitest, such as a part of a path or `--watch`. */
export async function runUnitTests(args) {
  const isWatching = args.includes("--watch");
  return await runProgram(
    [VITEST, ...(isWatching ? [] : ["run"]), ...projectOptions(["unit"]), ...args],
    { env: testEnvironment() },
  );
}

/** The long versions of fault and load tests, which `npm test` runs with small counts. */
export async function runSoak(args) {
  await ensureConsole();
  const filters = args.length > 0 ? args : SOAK_FILES;
  return await runProgram(
    [VITEST, "run", "--passWithNoTests", ...projectOptions(["unit", "e2e"]), ...filters],
    { env: testEnvironment({ TURNPIKE_SOAK: "1", ...(await browserSetting()) }) },
  );
}

/** Everything that must be green. Its last line is `N passed, N failed, N skipped`, checks included. */
export async function runTests() {
  const checks = await runChecks();
  const steps = [...checks.map((check) => check.isPassed), await isConsoleBuilt()];
  const total = {
    passed: steps.filter(Boolean).length,
    failed: steps.filter((isPassed) => !isPassed).length,
    skipped: 0,
  };
  for (const projects of SUITES) {
    const counts = await runSuite(projects);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
}

async function isConsoleBuilt() {
  try {
    await ensureConsole();
    return true;
  } catch (error) {
    console.error(`turnpike: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/**
 * @param {string[]} projects
 * @returns {Promise<Counts>}
 */
async function runSuite(projects) {
  const more = projects.includes("e2e") ? await browserSetting() : {};
  const folder = await mkdtemp(join(tmpdir(), "turnpike-report-"));
  try {
    const report = join(folder, "report.json");
    const code = await runProgram(
      [
        VITEST,
        "run",
        "--passWithNoTests",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${report}`,
        ...projectOptions(projects),
      ],
      { env: testEnvironment(more) },
    );
    return countResults(await readFile(report, "utf8").catch(() => undefined), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nothing is installed for journeys that do not exist. */
async function browserSetting() {
  const files = await listFiles("e2e");
  if (!files.some((file) => file.endsWith(".spec.ts"))) {
    return {};
  }
  try {
    return { CHROMIUM_PATH: await ensureChromium() };
  } catch (error) {
    // The journeys then fail one by one and say what they miss; the other suites still have their say.
    console.error(`turnpike: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

/**
 * @param {string | undefined} text The JSON report, missing when vitest itself broke down.
 * @param {number} code Its exit code.
 * @returns {Counts}
 */
export function countResults(text, code) {
  if (text === undefined) {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const report = JSON.parse(text);
  // A file that does not even load has no failed test of its own.
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    // An error outside of any test fails the run, so it must show in the sum.
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
