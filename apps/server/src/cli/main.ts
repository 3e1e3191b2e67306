import { outliveOutput } from "#platform/outlive-output.ts";
import { type Config, readConfig } from "../config.ts";
import { buildCli } from "./build-cli.ts";
import { reportFailure } from "./report-failure.ts";

/** A command reports its own result, so the log needs warnings and errors only. */
function readCommandConfig(): Config {
  const config = readConfig(process.env, {
    isRoot: process.getuid?.() === 0,
    workingFolder: process.cwd(),
  });
  return process.env["TURNPIKE_LOG_LEVEL"] ? config : { ...config, logLevel: "warn" };
}

// `turnpike tenants list | head` closes the pipe early, which is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
// Progress is written while the installation is open.
outliveOutput(process.stderr);

const cli = buildCli({
  readConfig: readCommandConfig,
  // npm changes to the checkout and records the original folder here.
  workingFolder: process.env["INIT_CWD"] ?? process.cwd(),
  isTerminal: process.stderr.isTTY,
  setExitCode: (code) => {
    process.exitCode = code;
  },
});
try {
  await cli.program.parseAsync();
} catch (error) {
  const exitCode = reportFailure(error, process.argv.includes("--json"));
  // A database that does not answer may hold connections open for long.
  process.exit(exitCode);
}
