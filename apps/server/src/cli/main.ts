import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { outliveOutput } from "#platform/outlive-output.ts";
import { readCommandConfig } from "./read-command-config.ts";
import { runCli } from "./run-cli.ts";

// `turnpike tenants list | head` closes the pipe early, which is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
// Progress is written while the installation is open.
outliveOutput(process.stderr);

const { exitCode, isCutShort } = await runCli(process.argv.slice(2), {
  readConfig: () =>
    readCommandConfig(process.env, {
      isRoot: process.getuid?.() === 0,
      workingFolder: process.cwd(),
    }),
  // npm changes to the checkout and records the original folder here.
  workingFolder: process.env["INIT_CWD"] ?? process.cwd(),
  output: process.stdout,
  errors: process.stderr,
  isTerminal: process.stderr.isTTY,
  remote: {
    configFolder:
      process.env["XDG_CONFIG_HOME"] ?? process.env["APPDATA"] ?? join(homedir(), ".config"),
    wait: async (ms) => {
      await wait(ms);
    },
  },
});
process.exitCode = exitCode;
if (isCutShort) {
  // A database that does not answer may hold connections open for long.
  process.exit();
}
