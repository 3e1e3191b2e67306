import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { findFreePort } from "./find-free-port.ts";
import { pollUntil } from "./poll-until.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../../examples");

export type ProxyName = "nginx" | "caddy";

export type ProxyProcess = { url: string; stop(): Promise<void> };

/** True when this machine has the program. */
export function hasProxy(name: ProxyName): boolean {
  return spawnSync(name, [name === "nginx" ? "-v" : "version"], { stdio: "ignore" }).status === 0;
}

export function isListening(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ port, host });
    socket.once("connect", () => {
      socket.destroy();
      settle(true);
    });
    socket.once("error", () => settle(false));
  });
}

/** nginx would write below /var and into the log of the system. */
export function keepNginxInFolder(config: string, folder: string): string {
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join("\n  ");
  // Started by root, its workers would become a user who may not write here, and large bodies go to a file.
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  return `${user}daemon off;\npid ${join(folder, "nginx.pid")};\nerror_log stderr crit;\n${config.replace(
    "http {",
    `http {\n  access_log off;\n  ${temp}`,
  )}`;
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

/**
 * Starts a proxy with the configuration of `examples/`, in which nothing but the three ports is changed.
 *
 * @param input.folder - Where it may write.
 * @param input.edit - Changes the configuration as its reader might.
 */
export async function startExampleProxy(
  name: ProxyName,
  input: {
    folder: string;
    turnpikePort: number;
    upstreamPort: number;
    edit?: (config: string) => string;
  },
): Promise<ProxyProcess> {
  const port = await findFreePort();
  const file = name === "nginx" ? "nginx.conf" : "Caddyfile";
  const example = await readFile(join(EXAMPLES, name, file), "utf8");
  const config = (input.edit?.(example) ?? example)
    .replaceAll(":3000", `:${String(input.turnpikePort)}`)
    .replaceAll(":4000", `:${String(input.upstreamPort)}`)
    .replaceAll(":8080", `:${String(port)}`);
  await mkdir(input.folder, { recursive: true });
  const path = join(input.folder, file);
  await writeFile(path, name === "nginx" ? keepNginxInFolder(config, input.folder) : config);
  const args = name === "nginx" ? ["-p", input.folder, "-c", path] : ["run", "--config", path];
  const child = spawn(name, args, {
    stdio: "ignore",
    env: { PATH: process.env["PATH"], HOME: input.folder },
  });
  await pollUntil(`${name} listens`, () => isListening(port));
  return { url: `http://127.0.0.1:${String(port)}`, stop: () => stopProcess(child) };
}
