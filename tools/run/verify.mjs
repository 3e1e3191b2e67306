import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { listFiles } from "./hash-files.mjs";
import { NODE_24, ROOT, STATE_FOLDER } from "./paths.mjs";
import { captureProgram } from "./program.mjs";
import { STRING_CHECKS } from "./strings.mjs";

const modules = (path) => join(ROOT, "node_modules", path);

/** @typedef {{ name: string, args: string[] }} Check A program of Node 24. */
/** @typedef {{ name: string, isPassed: boolean, seconds: number, output: string }} CheckResult */

/** @returns {Promise<Check[]>} The slowest first, so that they overlap with the rest. */
async function listChecks() {
  const configs = await listTypeConfigs();
  return [
    ...configs.map((config) => ({
      name: `types: ${config}`,
      args: [modules("typescript/bin/tsc"), "--project", config, ...rememberTypes(config)],
    })),
    ...STRING_CHECKS,
    { name: "architecture", args: ["tools/check-architecture.ts"] },
    { name: "docs", args: ["tools/check-docs.ts"] },
    { name: "dead code", args: [modules("knip/bin/knip.js")] },
    {
      name: "format and lint",
      args: [modules("@biomejs/biome/bin/biome"), "check", "--error-on-warnings"],
    },
  ];
}

/** The compiler remembers what it checked, by the content of the files: another run checks what has changed and what uses it. */
function rememberTypes(config) {
  const name = `types-${config.replaceAll("/", "-")}.tsbuildinfo`;
  return ["--incremental", "--noEmit", "--tsBuildInfoFile", join(STATE_FOLDER, name)];
}

async function listTypeConfigs() {
  const folders = await Promise.all(
    ["apps", "packages", "e2e", "bench", "examples"].map(listFiles),
  );
  const nested = folders
    .flat()
    .map((path) => relative(ROOT, path))
    .filter((path) => /(^|\/)tsconfig(\.[a-z]+)?\.json$/.test(path));
  return ["tsconfig.json", ...nested];
}

/** @param {Check} check */
async function runCheck(check) {
  const startedAtMs = performance.now();
  const { code, output } = await captureProgram(NODE_24, check.args, {
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  return { name: check.name, isPassed: code === 0, seconds, output };
}

/**
 * Runs every check that needs no database, failing ones included, and prints what the failing ones said and a table.
 *
 * @returns {Promise<CheckResult[]>}
 */
export async function runChecks() {
  const waiting = await listChecks();
  const order = waiting.map((check) => check.name);
  const results = [];
  const work = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      results.push(await runCheck(check));
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  results.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  for (const result of results.filter((candidate) => !candidate.isPassed)) {
    console.log(`\n— ${result.name}\n${result.output.trimEnd()}`);
  }
  console.log(`\n${toTable(results)}\n`);
  return results;
}

/** @param {CheckResult[]} results */
function toTable(results) {
  const width = Math.max(...results.map((result) => result.name.length));
  return results
    .map((result) => {
      const seconds = result.seconds.toFixed(1).padStart(6);
      return `${result.name.padEnd(width)}  ${seconds} s  ${result.isPassed ? "passed" : "FAILED"}`;
    })
    .join("\n");
}

export async function runVerify() {
  const results = await runChecks();
  return results.every((result) => result.isPassed) ? 0 : 1;
}
