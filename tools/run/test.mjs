import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "../ensure-chromium.mjs";
import { ensureConsole } from "./console.mjs";
import { listFiles } from "./hash-files.mjs";
import { makeMemoryFolder } from "./memory-folder.mjs";
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
  {
    projects: ["unit", "console", "screens", "postgres15"],
    filesAtOnce: availableParallelism(),
    minutes: 60,
    // Journeys that spend minutes waiting for the product's own clock leave the cores alone.
    beside: { projects: ["waiting"], filesAtOnce: 1, minutes: 60 },
  },
  { projects: ["e2e"], filesAtOnce: Math.min(2, availableParallelism()), minutes: 40 },
  { projects: ["install"], filesAtOnce: 1, minutes: 20, isOnDisk: true },
];

const BROWSER_PROJECTS = new Set(["e2e", "waiting", "soak-journeys"]);

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
  { projects: ["soak-journeys"], filesAtOnce: 1, minutes: 30 },
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
 * @property {boolean} [isOnDisk] Its temporary files are too large for memory.
 * @property {Suite} [beside] Runs at the same time, and prints nothing before the sum.
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
  const memory = await makeMemoryFolder();
  try {
    return await runProgram(
      [
        VITEST,
        ...(isWatching ? [] : ["run"]),
        ...projectOptions(["unit", "console", "screens"]),
        ...args,
      ],
      { env: testEnvironment(memory === undefined ? {} : { TMPDIR: memory.path }) },
    );
  } finally {
    await memory?.remove();
  }
}

/**
 * The long versions of tests, journeys with programs of others, and every database test on the oldest PostgreSQL. Arguments
 * choose files: of journeys when they begin with `e2e/`, else of the first.
 *
 * @param {string[]} args
 */
export async function runSoak(args) {
  const chosen = args.some((arg) => arg.startsWith("e2e/")) ? SOAK_SUITES[1] : SOAK_SUITES[0];
  const suites = args.length === 0 ? SOAK_SUITES : [{ ...chosen, filters: args }];
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
  const notable = failedSteps.map(({ name }) => `FAILED  ${name}`);
  for (const { beside, ...suite } of suites) {
    const results = await Promise.all([
      runSuite(suite),
      ...(beside === undefined ? [] : [runSuite(beside, { isSilent: true })]),
    ]);
    if (results.some(({ isInterrupted }) => isInterrupted)) {
      console.error("turnpike: ended before all tests have run");
      return 1;
    }
    for (const { counts, lines } of results) {
      total.passed += counts.passed;
      total.failed += counts.failed;
      total.skipped += counts.skipped;
      notable.push(...lines);
    }
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
 * @param {{ isSilent?: boolean }} [options]
 * @returns {Promise<{ counts: Counts, lines: string[], isInterrupted: boolean }>}
 */
async function runSuite(suite, { isSilent = false } = {}) {
  const { projects, filters = [], env = {}, filesAtOnce, minutes, isOnDisk = false } = suite;
  const more = projects.some((project) => BROWSER_PROJECTS.has(project))
    ? await browserSetting()
    : {};
  const folder = await mkdtemp(join(tmpdir(), "turnpike-report-"));
  const memory = isOnDisk ? undefined : await makeMemoryFolder();
  const temporary = memory === undefined ? {} : { TMPDIR: memory.path };
  try {
    const report = join(folder, "report.jsonl");
    await writeFile(report, "");
    let isInterrupted = false;
    const code = await runProgram(
      [
        VITEST,
        "run",
        "--passWithNoTests",
        `--maxWorkers=${filesAtOnce}`,
        ...(isSilent ? ["--silent"] : ["--reporter=default"]),
        "--reporter=./tools/vitest/file-reporter.ts",
        ...projectOptions(projects),
        ...filters,
      ],
      {
        env: testEnvironment({ ...temporary, ...env, ...more, TEST_REPORT_FILE: report }),
        timeLimitMs: minutes * MINUTE_MS,
        onSignal: () => {
          isInterrupted = true;
        },
      },
    );
    const { counts, lines } = readReport(await readFile(report, "utf8"), code);
    if (code === TIMED_OUT) {
      lines.push(`FAILED  ${projects.join(" and ")}: not ended after ${minutes} minutes`);
    }
    return { counts, lines, isInterrupted };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await memory?.remove();
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
 * Sums up a run, also one that was cut short: what did not end, or never began, has failed.
 *
 * @param {string} text What `tools/vitest/file-reporter.ts` wrote.
 * @param {number} code The exit code of vitest.
 * @returns {{ counts: Counts, lines: string[] }} `lines` describe each test that failed or did not run.
 */
export function readReport(text, code) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  const fail = (name, message) => {
    counts.failed += 1;
    lines.push(`FAILED  ${name}\n${message.replace(/^/gm, "        ")}`.trimEnd());
  };
  const waiting = new Map();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const { planned, started, ended, unhandled = [], ...result } = JSON.parse(line);
    if (planned !== undefined) {
      waiting.set(planned, "never ran");
    } else if (started !== undefined) {
      waiting.set(started, "did not end");
    } else if (ended !== undefined) {
      waiting.delete(ended);
      counts.passed += result.passed;
      counts.skipped += result.skipped.length;
      for (const { name, message } of result.failed) {
        fail(`${ended} > ${name}`, message);
      }
      for (const { name, message } of result.skipped) {
        lines.push(`skipped ${ended} > ${name}${message === "" ? "" : `: ${message}`}`);
      }
    }
    for (const message of unhandled) {
      fail("outside of every test", message);
    }
  }
  for (const [file, what] of waiting) {
    fail(`${file} ${what}`, "");
  }
  if (counts.failed === 0 && code !== 0) {
    fail(`vitest ended with code ${code}`, "");
  }
  return { counts, lines };
}
