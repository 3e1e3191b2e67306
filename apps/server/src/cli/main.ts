import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { outliveOutput } from "#platform/outlive-output.ts";
import { readCommandConfig } from "./read-command-config.ts";
import { runCli } from "./run-cli.ts";

// `turnpike tenants list | head` closes the pipe early, which is not a failure.
function endWithReader(error: NodeJS.ErrnoException): void {
  process.exit(error.code === "EPIPE" ? 0 : 1);
}
process.stdout.on("error", endWithReader);
// Progress is written while the installation is open.
outliveOutput(process.stderr);

const isRoot = process.getuid?.() === 0;

const { exitCode, isCutShort } = await runCli(process.argv.slice(2), {
  readConfig: () => readCommandConfig(process.env, { isRoot, workingFolder: process.cwd() }),
  startProduct: async (request) => {
    // The server outlives the terminal that reads it.
    process.stdout.off("error", endWithReader);
    // No other command needs the whole server.
    const { startProduct } = await import("./start/start-product.ts");
    await startProduct(request, {
      env: process.env,
      isRoot,
      workingFolder: process.cwd(),
      isTerminal: process.stdout.isTTY,
    });
  },
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
