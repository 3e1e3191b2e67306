import { mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ensureChromium } from "../ensure-chromium.mjs";
import { ensureConsole } from "./console.mjs";
import { listFiles } from "./hash-files.mjs";
import { ROOT } from "./paths.mjs";
import { runProgram, TIMED_OUT } from "./program.mjs";
import { runChecks } from "./verify.mjs";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

/**
 * The suites of `npm test`, the cheapest answer first. A worker and what it starts need a core of their own: a machine
 * with more files at once than cores measures its own load. A run that hangs is ended after so many minutes.
 *
 * @type {Suite[]}
 */
const SUITES = [
  { projects: ["unit", "postgres15"], filesAtOnce: availableParallelism(), minutes: 60 },
  { projects: ["e2e"], filesAtOnce: Math.min(2, availableParallelism()), minutes: 40 },
  { projects: ["install"], filesAtOnce: 1, minutes: 20 },
];

/** Suffixes of the tests that have a longer version, or run only there: load, faults under load, and random input. */
export const SOAK_SUFFIXES = [".soak.", ".fault.", ".race.", ".model.", ".fuzz."];

/** @type {Suite[]} */
const SOAK_SUITES = [
  {
    projects: ["unit"],
    filters: SOAK_SUFFIXES,
    env: { TURNPIKE_SOAK: "1" },
    filesAtOnce: 1,
    minutes: 240,
  },
  { projects: ["postgres15-whole"], filesAtOnce: availableParallelism(), minutes: 60 },
];
const MINUTE_MS = 60_000;

/** Lines about single tests before the sum. */
const NOTABLE_MAX = 200;

/** A developer's own instance must be out of reach of every test. */
const INSTANCE_SETTINGS = /^(DATABASE_URL|PORT|GATEWAY_PORT|TURNPIKE_.*|PG[A-Z]+)$/;

/**
 * @typedef {object} Suite
 * @property {string[]} projects Of `vitest.config.ts`.
 * @property {string[]} [filters] Parts of the paths of its files; all files when missing.
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} filesAtOnce
 * @property {number} minutes It is ended after these.
 */
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

/**
 * The long versions of tests, and every database test on the oldest PostgreSQL. Arguments choose files of the first.
 *
 * @param {string[]} args
 */
export async function runSoak(args) {
  const suites = args.length === 0 ? SOAK_SUITES : [{ ...SOAK_SUITES[0], filters: args }];
  return await runSuites(suites, [await buildConsoleFirst()]);
}

/** Everything that must be green. Its last line is `N passed, N failed, N skipped`, checks included. */
export async function runTests() {
  const checks = await runChecks();
  return await runSuites(SUITES, [
    ...checks.map(({ name, isPassed }) => ({ name, isPassed })),
    await buildConsoleFirst(),
  ]);
}

async function buildConsoleFirst() {
  const name = "build of the console";
  try {
    await ensureConsole();
    return { name, isPassed: true };
  } catch (error) {
    console.error(`turnpike: ${error instanceof Error ? error.message : String(error)}`);
    return { name, isPassed: false };
  }
}

/**
 * Runs suites one after the other and prints what failed, then the sum of steps and tests as the last line.
 *
 * @param {Suite[]} suites
 * @param {{ name: string, isPassed: boolean }[]} steps What was done before, and counts as a test each.
 * @returns {Promise<number>} The exit code.
 */
async function runSuites(suites, steps) {
  const failedSteps = steps.filter(({ isPassed }) => !isPassed);
  const total = {
    passed: steps.length - failedSteps.length,
    failed: failedSteps.length,
    skipped: 0,
  };
  const notable = failedSteps.map(({ name }) => `failed: ${name}`);
  for (const suite of suites) {
    const { counts, lines, isInterrupted } = await runSuite(suite);
    if (isInterrupted) {
      console.error("turnpike: ended before all tests have run");
      return 1;
    }
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    notable.push(...lines);
  }
  // Failures scroll away in a log of thousands of lines, and some logs keep only their end.
  for (const line of notable.slice(0, NOTABLE_MAX)) {
    console.log(line);
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
}

/**
 * @param {Suite} suite
 * @returns {Promise<{ counts: Counts, lines: string[], isInterrupted: boolean }>}
 */
async function runSuite({ projects, filters = [], env = {}, filesAtOnce, minutes }) {
  const more = projects.includes("e2e") ? await browserSetting() : {};
  const folder = await mkdtemp(join(tmpdir(), "turnpike-report-"));
  try {
    const report = join(folder, "report.json");
    let isInterrupted = false;
    const code = await runProgram(
      [
        VITEST,
        "run",
        "--passWithNoTests",
        `--maxWorkers=${filesAtOnce}`,
        "--reporter=default",
        "--reporter=json",
        "--reporter=./tools/vitest/unfinished-reporter.ts",
        `--outputFile.json=${report}`,
        ...projectOptions(projects),
        ...filters,
      ],
      {
        env: testEnvironment({ ...env, ...more }),
        timeLimitMs: minutes * MINUTE_MS,
        onSignal: () => {
          isInterrupted = true;
        },
      },
    );
    const text = await readFile(report, "utf8").catch(() => undefined);
    const lines = listNotable(text, projects);
    if (code === TIMED_OUT) {
      lines.push(`failed: ${projects.join(" and ")}: not ended after ${minutes} minutes`);
    }
    return { counts: countResults(text, code), lines, isInterrupted };
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

/**
 * What a reader of the end of a log wants to know: each test that failed or did not run, and each file that did not
 * load, with the first line of its reason.
 *
 * @param {string | undefined} text The JSON report.
 * @param {string[]} projects
 * @returns {string[]}
 */
export function listNotable(text, projects) {
  const suite = projects.join(" and ");
  if (text === undefined) {
    return [`failed: ${suite}: no report`];
  }
  return JSON.parse(text).testResults.flatMap((file) => {
    const path = relative(ROOT, file.name);
    const tests = file.assertionResults
      .filter((test) => test.status !== "passed")
      .map((test) =>
        describeOutcome(test.status, `${path}: ${test.fullName}`, test.failureMessages),
      );
    return file.status === "failed" && !tests.some((line) => line.startsWith("failed"))
      ? [describeOutcome("failed", path, [file.message ?? ""]), ...tests]
      : tests;
  });
}

/**
 * @param {string} status
 * @param {string} name
 * @param {string[]} [messages]
 */
function describeOutcome(status, name, messages = []) {
  const reason = messages.join("\n").split("\n", 1)[0];
  return `${status === "failed" ? "failed" : "skipped"}: ${name}${reason === "" ? "" : `: ${reason}`}`;
}
