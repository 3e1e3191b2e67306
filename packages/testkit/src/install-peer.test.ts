import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInstalled, peerFolder } from "./install-peer.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-bench-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function pin(dependencies: Record<string, string>): Promise<void> {
  await writeFile(join(folder, "package.json"), JSON.stringify({ dependencies }));
}

async function install(name: string, version: string): Promise<void> {
  const path = join(folder, "node_modules", name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "package.json"), JSON.stringify({ version }));
}

describe("isInstalled", () => {
  it("asks for every pinned package, in exactly its version", async () => {
    await pin({ one: "1.0.0", "@scope/two": "2.0.0" });
    expect(await isInstalled(folder)).toBe(false);
    await install("one", "1.0.0");
    expect(await isInstalled(folder)).toBe(false);
    await install("@scope/two", "2.0.1");
    expect(await isInstalled(folder)).toBe(false);
    await install("@scope/two", "2.0.0");
    expect(await isInstalled(folder)).toBe(true);
  });

  it("takes what cannot be read for not installed", async () => {
    await pin({ one: "1.0.0" });
    await install("one", "1.0.0");
    await writeFile(join(folder, "node_modules/one/package.json"), "{ half");
    expect(await isInstalled(folder)).toBe(false);
  });

  it("is never so by itself: a peer without pins is a mistake", async () => {
    await pin({});
    expect(await isInstalled(folder)).toBe(false);
  });
});

describe("bench/peers", () => {
  it("has better-auth locked at the versions it pins, not at newer ones", async () => {
    const peer = peerFolder("better-auth");
    const manifest = JSON.parse(await readFile(join(peer, "package.json"), "utf8"));
    const lock = JSON.parse(await readFile(join(peer, "package-lock.json"), "utf8"));
    const pins: [string, string][] = Object.entries(manifest.dependencies);
    expect(pins.length).toBeGreaterThan(2);
    for (const [name, version] of pins) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version });
      expect(lock.packages[`node_modules/${name}`].integrity).toMatch(/^sha512-/);
    }
  });
});
