import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const PEERS = join(import.meta.dirname, "../../../bench/peers");
const INSTALL_TIMEOUT_MS = 120_000;

/** Thrown when a peer is not installed and cannot be; what needs it goes on without it and says so. */
export class PeerUnavailableError extends Error {
  override readonly name = "PeerUnavailableError";
}

/** The folder of a program that is no part of the product, and has packages of its own. */
export function peerFolder(name: string): string {
  return join(PEERS, name);
}
function readObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** True when exactly the versions that the peer's package.json pins are there. */
export async function isInstalled(folder: string): Promise<boolean> {
  const manifest = readObject(await readFile(join(folder, "package.json"), "utf8"));
  const pins = Object.entries(readObject(JSON.stringify(manifest["dependencies"])));
  try {
    for (const [name, version] of pins) {
      const path = join(folder, "node_modules", name, "package.json");
      if (readObject(await readFile(path, "utf8"))["version"] !== version) {
        return false;
      }
    }
    return pins.length > 0;
  } catch {
    return false;
  }
}

/**
 * Installs what a peer under `bench/peers` needs, as its lock says, unless it is there already. No scripts of packages run.
 *
 * @throws {PeerUnavailableError} when the registry cannot be reached or refuses, with npm's last words.
 */
export async function ensurePeer(name: string, note: (text: string) => void): Promise<void> {
  const folder = peerFolder(name);
  if (await isInstalled(folder)) {
    return;
  }
  note(`installing ${name} into bench/peers/${name}/node_modules, once`);
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const child = spawn("npm", args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INSTALL_TIMEOUT_MS,
  });
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-2_000);
  });
  const [code]: unknown[] = await once(child, "close").catch((error: unknown) => {
    words = String(error);
    return [-1];
  });
  if (code !== 0 || !(await isInstalled(folder))) {
    throw new PeerUnavailableError(
      `${name} could not be installed: is the npm registry reachable? \`cd bench/peers/${name} && npm ci\` shows more.\n${words.trim()}`,
    );
  }
}
