import { buildCli } from "./build-cli.ts";
import type { CliEnvironment } from "./cli.ts";
import { EXIT_OK, reportFailure } from "./report-failure.ts";
import { expandStart } from "./start/parse-address.ts";

/** How a command ended. `isCutShort` when it failed, and may have left connections of a database that does not answer. */
export type CliEnd = { exitCode: number; isCutShort: boolean };

/**
 * Runs one command to its end and reports its failure on standard error; it never throws.
 *
 * @param args - The command line behind the name of the program.
 */
export async function runCli(
  args: readonly string[],
  environment: Omit<CliEnvironment, "setExitCode">,
): Promise<CliEnd> {
  let exitCode = EXIT_OK;
  const cli = buildCli({
    ...environment,
    setExitCode: (code) => {
      exitCode = code;
    },
  });
  try {
    await cli.program.parseAsync(expandStart(args), { from: "user" });
    return { exitCode, isCutShort: false };
  } catch (error) {
    const isJson = args.includes("--json");
    return {
      exitCode: reportFailure(error, { isJson, errors: environment.errors }),
      isCutShort: true,
    };
  }
}
