import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

/** Finds a program on this machine; undefined when it is not installed. */
export async function findProgram(name: string): Promise<string | undefined> {
  return await run("/bin/sh", ["-c", `command -v ${name}`]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** Runs the sample in a shell. @returns What it printed. */
export async function runShell(code: string): Promise<string> {
  const { stdout } = await run("/bin/sh", ["-c", code], { timeout: TIMEOUT_MS });
  return stdout;
}

/** Writes the sample into a file of its own and runs a program on it. @returns What it printed. */
export async function runFile(input: {
  program: string;
  name: string;
  code: string;
  env: Readonly<Record<string, string>>;
}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-sample-"));
  try {
    const file = join(folder, input.name);
    await writeFile(file, input.code);
    const { stdout } = await run(input.program, [file], {
      timeout: TIMEOUT_MS,
      env: { PATH: process.env["PATH"], ...input.env },
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs nginx with a `server` block of a sample, on a port of our own instead of its. @returns What `path` answers. */
export async function askThroughNginx(input: {
  nginx: string;
  serverBlock: string;
  path: string;
}): Promise<Response> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-nginx-"));
  const port = await findFreePort();
  const block = input.serverBlock.replace("listen 8080;", `listen 127.0.0.1:${String(port)};`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 64; }
http { access_log off; ${temporary}
${block}
}`,
  );
  const child = spawn(input.nginx, ["-p", folder, "-c", "nginx.conf"], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    const url = `http://127.0.0.1:${String(port)}${input.path}`;
    return await pollUntil("nginx answers", async () => await fetch(url).catch(() => undefined));
  } finally {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}
