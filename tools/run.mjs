#!/usr/bin/env node
// The commands of the repository, behind `npm run <command>`. This file and tools/run/ start before anything is
// installed, on the Node that npm runs on (20 or newer), so they import nothing but Node's own modules. What they start
// runs on the pinned Node 24.
import { ensureChromium } from "./ensure-chromium.mjs";
import { runBusyTests } from "./run/busy.mjs";
import { buildConsole, ensureConsole } from "./run/console.mjs";
import { runDevelopment } from "./run/dev.mjs";
import { ensureInstalled } from "./run/install.mjs";
import { ensurePackage } from "./run/package.mjs";
import { PRODUCT_FLAGS, runProgram } from "./run/program.mjs";
import { buildSdk, ensureSdk } from "./run/sdk.mjs";
import { EXTRACT_STRINGS } from "./run/strings.mjs";
import { runSoak, runTests, runUnitTests } from "./run/test.mjs";
import { runVerify } from "./run/verify.mjs";

/** @type {Record<string, (args: string[]) => Promise<number>>} Each gives its exit code. */
const COMMANDS = {
  async start(args) {
    await ensureConsole();
    await ensureSdk();
    return await runProgram([...PRODUCT_FLAGS, "apps/server/src/main.ts", ...args]);
  },
  dev: runDevelopment,
  test: runTests,
  "test:unit": runUnitTests,
  "test:busy": runBusyTests,
  soak: runSoak,
  verify: runVerify,
  async bench(args) {
    await ensureConsole();
    return await runProgram(["bench/run.ts", ...args]);
  },
  async cluster(args) {
    await ensureConsole();
    return await runProgram(["tools/cluster.ts", ...args]);
  },
  async catalogue(args) {
    await ensureConsole();
    await ensureChromium();
    return await runProgram(["tools/catalogue.ts", ...args]);
  },
  strings: () => runProgram(EXTRACT_STRINGS),
  replay: (args) => runProgram(["tools/replay.ts", ...args]),
  turnpike: (args) => runProgram([...PRODUCT_FLAGS, "apps/server/src/cli/main.ts", ...args]),
  async build() {
    await buildConsole();
    await buildSdk();
    console.log(`The package is in ${await ensurePackage()}; npm pack makes its tarball there.`);
    return 0;
  },
};

async function main() {
  const [name = "", ...args] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    console.error(`Usage: npm run <${Object.keys(COMMANDS).join("|")}> [-- arguments]`);
    return 2;
  }
  await ensureInstalled();
  return await command(args);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`turnpike: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
