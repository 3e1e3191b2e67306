import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { type PinnedProcess, startPinned } from "./pinned-process.ts";

const READY_TIMEOUT_MS = 10_000;

export function hasNginx(): boolean {
  return spawnSync("nginx", ["-v"], { stdio: "ignore" }).status === 0;
}

function toConfig(input: { port: number; upstreamPort: number; folder: string }): string {
  const { folder } = input;
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join("\n  ");
  return `daemon off;
worker_processes 1;
pid ${join(folder, "nginx.pid")};
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  ${temp}
  upstream api {
    server 127.0.0.1:${String(input.upstreamPort)};
    keepalive 256;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${String(input.port)};
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

async function waitForPort(port: number): Promise<void> {
  const endsAtMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < endsAtMs) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isOpen) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("nginx did not start to listen in time.");
}

/** nginx with one worker, kept connections on both sides and no log: `proxy_pass` and nothing else. */
export async function startNginxProxy(input: {
  upstreamPort: number;
  folder: string;
}): Promise<PinnedProcess & { port: number }> {
  const port = await findFreePort();
  const folder = join(input.folder, "nginx");
  await mkdir(folder, { recursive: true });
  const configPath = join(folder, "nginx.conf");
  await writeFile(configPath, toConfig({ port, upstreamPort: input.upstreamPort, folder }));
  const running = startPinned(["nginx", "-p", folder, "-c", configPath], { core: "server" });
  await waitForPort(port);
  return { ...running, port };
}
