import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { ensureConsole } from "./console.mjs";
import { NODE_24, ROOT } from "./paths.mjs";
import { forwardSignals, PRODUCT_FLAGS } from "./program.mjs";
import { ensureSdk } from "./sdk.mjs";

const CONSOLE_PORT = 5173;

/**
 * Runs the server, which starts again when one of its files changes, and the console's development server, which swaps
 * modules in the open page and passes every other path on to the server.
 */
export async function runDevelopment(args) {
  await ensureConsole();
  await ensureSdk();
  // The page is the development server's: sign-in, which belongs to one address, must know it.
  const env = {
    TURNPIKE_CONSOLE_URL: `http://localhost:${CONSOLE_PORT}`,
    TURNPIKE_MODE: "development",
    ...process.env,
    FORCE_COLOR: process.stdout.isTTY ? "1" : "0",
  };
  const apiPort = process.env.PORT ?? "3000";
  console.log(
    `turnpike: console with reload on http://localhost:${CONSOLE_PORT}, server on ${apiPort}`,
  );
  const watch = [...PRODUCT_FLAGS, "--watch", "--watch-preserve-output"];
  const server = start([...watch, "apps/server/src/main.ts", ...args], { cwd: ROOT, env });
  const vite = start(
    [
      join(ROOT, "node_modules/vite/bin/vite.js"),
      "--port",
      String(CONSOLE_PORT),
      "--strictPort",
      "--clearScreen",
      "false",
    ],
    { cwd: join(ROOT, "apps/console"), env },
  );
  const code = await Promise.race([server.ended, vite.ended]);
  server.child.kill("SIGTERM");
  vite.child.kill("SIGTERM");
  await Promise.all([server.ended, vite.ended]);
  return code;
}

function start(args, options) {
  const child = spawn(NODE_24, args, { ...options, stdio: "inherit" });
  const stopForwarding = forwardSignals(child);
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
  return { child, ended };
}
