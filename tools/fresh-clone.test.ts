import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const STRANGER_ID = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const INSTALL_DEADLINE_MS = 480_000;
const STOP_DEADLINE_MS = 240_000;

const run = promisify(execFile);

/** What a stranger's shell has: nothing of the npm, the vitest or the instance that this test runs in. */
function strangersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      /^(HOME|LANG|USER|.*_proxy)$/i.test(name) ||
      /^npm_config_(registry|cache|userconfig|cafile)$/i.test(name),
  );
  const path = (process.env["PATH"] ?? "").split(delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: path.filter((folder) => !folder.includes("node_modules")).join(delimiter),
  };
}

type Instance = {
  npm: ChildProcess;
  exited: Promise<number | null>;
  output(): string;
};

describe("a fresh clone in a private folder of another user", () => {
  let temp: TempFolder;
  let checkout: string;
  let dataFolder: string;
  let ports: { people: number; programs: number };
  const instances: Instance[] = [];

  beforeAll(async () => {
    temp = await makeTempFolder();
    await chmod(temp.path, 0o711);
    const home = join(temp.path, "home");
    checkout = join(home, "turnpike");
    // Missing folders are made by the product itself.
    dataFolder = join(temp.path, "data");
    await mkdir(home, { mode: 0o700 });
    const gitConfig = join(temp.path, "gitconfig");
    await writeFile(gitConfig, "[safe]\n\tdirectory = *\n");
    await run("git", ["clone", "--quiet", "--depth=1", `file://${ROOT}`, checkout], {
      env: { ...process.env, GIT_CONFIG_GLOBAL: gitConfig },
    });
    if (IS_ROOT) {
      await chown(home, STRANGER_ID, STRANGER_ID);
    }
    ports = { people: await findFreePort(), programs: await findFreePort() };
  });

  afterAll(async () => {
    for (const { npm, exited } of instances) {
      npm.kill("SIGTERM");
      await exited;
    }
    await temp[Symbol.asyncDispose]();
  });

  function start(): Instance {
    const npm = spawn("npm", ["start"], {
      cwd: checkout,
      env: {
        ...strangersEnvironment(),
        PORT: String(ports.people),
        GATEWAY_PORT: String(ports.programs),
        TURNPIKE_DATA_DIR: dataFolder,
      },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, as a terminal gives to a command.
      detached: true,
    });
    const chunks: Buffer[] = [];
    npm.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    npm.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    const instance: Instance = {
      npm,
      exited: new Promise((settle) => npm.once("exit", settle)),
      output: () => Buffer.concat(chunks).toString("utf8"),
    };
    instances.push(instance);
    return instance;
  }

  async function waitUntilReady(instance: Instance, deadlineMs: number): Promise<void> {
    const url = `http://127.0.0.1:${ports.people}/health/ready`;
    const isReady = pollUntil(
      `${url} answers 200`,
      async () => {
        const reply = await fetch(url).catch(() => undefined);
        await reply?.body?.cancel();
        return reply?.status === 200;
      },
      deadlineMs,
    );
    const end = instance.exited.then((code) => {
      throw new Error(`npm start ended with ${String(code)}:\n${instance.output()}`);
    });
    await Promise.race([isReady, end]);
  }

  /** Every process whose command line names the data folder or the checkout. */
  async function listLeftovers(): Promise<string[]> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const commands = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
    );
    return commands.filter((line) => line.includes(dataFolder) || line.includes(checkout));
  }

  async function waitForCleanEnd(instance: Instance): Promise<void> {
    await instance.exited;
    if (process.platform === "linux") {
      let leftovers: string[] = [];
      await pollUntil(
        "every process of the instance is gone",
        async () => {
          leftovers = await listLeftovers();
          return leftovers.length === 0;
        },
        STOP_DEADLINE_MS,
      ).catch((cause: unknown) => {
        throw new Error(`${leftovers.join("\n")}\n${instance.output()}`, { cause });
      });
    }
    // Both are removed by an orderly end only.
    expect(await readdir(dataFolder)).not.toContain("turnpike.pid");
    expect(await readdir(join(dataFolder, "postgres"))).not.toContain("postmaster.pid");
  }

  it("serves after npm start, with nothing installed before, and stops cleanly", async () => {
    const instance = start();
    await waitUntilReady(instance, INSTALL_DEADLINE_MS);
    instance.npm.kill("SIGTERM");
    await waitForCleanEnd(instance);
    const status = await run("git", ["status", "--porcelain"], { cwd: checkout });
    expect(status.stdout).toBe("");
  });

  it("is ready soon after the second start, and ends cleanly on Ctrl+C", async () => {
    const startedAtMs = performance.now();
    const instance = start();
    await waitUntilReady(instance, INSTALL_DEADLINE_MS);
    const readyAfterMs = performance.now() - startedAtMs;
    console.log(`second start: ready after ${Math.round(readyAfterMs)} ms`);
    // Ctrl+C reaches every process of the group at once.
    process.kill(-(instance.npm.pid ?? Number.NaN), "SIGINT");
    await waitForCleanEnd(instance);
  });
});
