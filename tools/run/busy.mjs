import { spawn } from "node:child_process";
import { join } from "node:path";
import { NODE_24, ROOT } from "./paths.mjs";
import { forwardSignals } from "./program.mjs";

const LOADS = 4;
const RUNS = 3;
const MINUTE_MS = 60_000;
const COUNTS = /^\d+ passed, \d+ failed, \d+ skipped$/;

/** Ends by itself when the process that started it is gone, killed or not. */
const BURN = `
  process.on("disconnect", () => process.exit());
  const parent = process.ppid;
  const burn = () => {
    const endMs = performance.now() + 200;
    while (performance.now() < endMs) Math.sqrt(endMs);
    if (process.ppid !== parent) process.exit();
    setImmediate(burn);
  };
  burn();
`;

/**
 * Runs `npm test` again and again while other processes want the cores as well, and prints how each run ended.
 *
 * @param {string[]} args How many times; 3 when left out.
 * @returns {Promise<number>} 0 when every run was green.
 */
export async function runBusyTests([times = String(RUNS)]) {
  const runs = Number(times);
  if (!Number.isInteger(runs) || runs < 1) {
    console.error(`turnpike: ${times} is no number of runs`);
    return 2;
  }
  const loads = Array.from({ length: LOADS }, () =>
    spawn(NODE_24, ["--eval", BURN], { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  );
  const endings = [];
  try {
    for (let run = 1; run <= runs; run += 1) {
      const startedAtMs = performance.now();
      const { code, counts, isInterrupted } = await runTests();
      const minutes = ((performance.now() - startedAtMs) / MINUTE_MS).toFixed(1);
      endings.push({ code, line: `run ${run}: ${counts}, ${minutes} minutes, exit code ${code}` });
      if (isInterrupted) {
        break;
      }
    }
  } finally {
    for (const load of loads) {
      load.kill("SIGKILL");
    }
  }
  console.log(`\n${LOADS} busy processes beside:\n${endings.map(({ line }) => line).join("\n")}`);
  return endings.length === runs && endings.every(({ code }) => code === 0) ? 0 : 1;
}

/** @returns {Promise<{ code: number, counts: string, isInterrupted: boolean }>} `counts` is its last line. */
function runTests() {
  const child = spawn(NODE_24, [join(ROOT, "tools/run.mjs"), "test"], {
    cwd: ROOT,
    stdio: ["inherit", "pipe", "inherit"],
  });
  let isInterrupted = false;
  const stopForwarding = forwardSignals(child, () => {
    isInterrupted = true;
  });
  let rest = "";
  let counts = "no counts";
  child.stdout.on("data", (chunk) => {
    process.stdout.write(chunk);
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    counts = lines.findLast((line) => COUNTS.test(line)) ?? counts;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      stopForwarding();
      resolve({ code: code ?? 1, counts, isInterrupted });
    });
  });
}
