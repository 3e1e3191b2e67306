import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";

const ROOT = join(import.meta.dirname, "../..");
const NODE_24 = join(ROOT, "node_modules/node/bin/node");
/** Exact, like every version here, and more than seven days old. */
const VERSION = "15.34.2";
/** Gone with `node_modules`, as it must be. */
const FOLDER = join(ROOT, "node_modules/.turnpike", `firebase-tools-${VERSION}`);
const PROGRAM = join(FOLDER, "node_modules/firebase-tools/lib/bin/firebase.js");
/** Projects that begin with `demo-` reach nothing outside of the emulator. */
export const EMULATED_PROJECT = "demo-turnpike";

/** Firebase's emulator of accounts, without Java. */
export interface FirebaseEmulator extends AsyncDisposable {
  /** Such as `http://localhost:9099`. */
  url: string;
}

async function isInstalled(): Promise<boolean> {
  return await access(PROGRAM).then(
    () => true,
    () => false,
  );
}

async function runNpm(args: readonly string[]): Promise<{ code: number; output: string }> {
  const npm = process.env["npm_execpath"];
  const command = npm?.endsWith(".js") === true ? [process.execPath, npm] : ["npm"];
  const [program = "npm", ...first] = command;
  const child = spawn(program, [...first, ...args], {
    cwd: FOLDER,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number>((resolve) => {
    child.once("error", () => resolve(127));
    child.once("close", (exitCode) => resolve(exitCode ?? 1));
  });
  return { code, output: Buffer.concat(chunks).toString("utf8") };
}

/**
 * Installs `firebase-tools` for itself, unless it is there: about a minute and 220 MB. No script of its packages runs, and what they
 * compile is left out: the emulator of accounts does without.
 *
 * @returns Why it is not there, such as without a network; undefined when it is.
 */
export async function ensureFirebaseTools(): Promise<string | undefined> {
  if (await isInstalled()) {
    return;
  }
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "package.json"), JSON.stringify({ private: true }));
  const { code, output } = await runNpm([
    "install",
    "--ignore-scripts",
    "--omit=optional",
    "--no-audit",
    "--no-fund",
    "--save-exact",
    "--min-release-age=7",
    "--loglevel=error",
    `firebase-tools@${VERSION}`,
  ]);
  return code === 0 && (await isInstalled())
    ? undefined
    : `firebase-tools ${VERSION} could not be installed: ${output.trim().split("\n").at(-1) ?? ""}`;
}

/** @param port - Of the emulator of accounts; left out: a free one. */
export async function startFirebaseEmulator(port?: number): Promise<FirebaseEmulator> {
  const folder = await makeTempFolder();
  const [auth, hub, logging] = [
    port ?? (await findFreePort()),
    await findFreePort(),
    await findFreePort(),
  ];
  const host = "127.0.0.1";
  await writeFile(
    join(folder.path, "firebase.json"),
    JSON.stringify({
      emulators: {
        auth: { host, port: auth },
        hub: { host, port: hub },
        logging: { host, port: logging },
        ui: { enabled: false },
      },
    }),
  );
  const program = ["emulators:start", "--only", "auth", "--project", EMULATED_PROJECT];
  const child = spawn(NODE_24, [PROGRAM, ...program], {
    cwd: folder.path,
    // Its settings and its log stay in the folder, and it asks for no news.
    env: { PATH: process.env["PATH"], HOME: folder.path, CI: "1", NO_UPDATE_NOTIFIER: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const url = `http://localhost:${String(auth)}`;
  const stop = async (): Promise<void> => {
    await end(child);
    await folder[Symbol.asyncDispose]();
  };
  try {
    await pollUntil("Firebase’s emulator answers", async () => {
      if (child.exitCode !== null) {
        throw new Error(`Firebase's emulator ended:\n${output}`);
      }
      return await isReady(url);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: stop };
}

async function isReady(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}
