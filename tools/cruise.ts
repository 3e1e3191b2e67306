import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";

/** One import of one file, both ends as paths relative to the cruised root. */
export type CruisedDependency = { resolved: string };

export type CruisedModule = { source: string; dependencies: readonly CruisedDependency[] };

/** One broken rule: its name, the importing file and what it imports. */
export type Violation = { rule: string; from: string; to: string };

export type Cruise = { modules: readonly CruisedModule[]; violations: readonly Violation[] };

type CruiseReport = {
  modules: CruisedModule[];
  summary: { violations: { from: string; to: string; rule: { name: string } }[] };
};

const run = promisify(execFile);
const PROGRAM = resolve(
  import.meta.dirname,
  "../node_modules/dependency-cruiser/bin/dependency-cruise.mjs",
);

/** Bytes of the report: a few MB for hundreds of files, so this bound only stops a runaway. */
const REPORT_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Reads every import below `folders` of `root` and holds it against `root`'s `.dependency-cruiser.cjs`: the same
 * program and rules as `npm run verify`.
 *
 * @throws {Error} when the program cannot run; a broken rule is a value, in `violations`.
 */
export async function cruise({
  root,
  folders,
}: {
  root: string;
  folders: readonly string[];
}): Promise<Cruise> {
  const { stdout } = await run(
    process.execPath,
    [PROGRAM, ...folders, "--config", ".dependency-cruiser.cjs", "--output-type", "json"],
    { cwd: root, maxBuffer: REPORT_BYTES_MAX, timeout: 120_000 },
  );
  // The report's shape is fixed by the pinned version of dependency-cruiser.
  const report = JSON.parse(stdout) as CruiseReport;
  return {
    modules: report.modules,
    violations: report.summary.violations.map(({ from, to, rule }) => ({
      rule: rule.name,
      from,
      to,
    })),
  };
}
