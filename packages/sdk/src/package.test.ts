import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");
const TSC = resolve(PACKAGE, "../../node_modules/typescript/bin/tsc");
const run = promisify(execFile);

type Packed = { filename: string; files: { path: string }[] };

/** What a program with each kind of middleware writes, in a folder that has nothing but the package. */
const PROGRAM = `
import { createTurnpike, TurnpikeUnavailableError, type Caller, type Verification } from "@turnpike/sdk";
import { turnpikeExpress } from "@turnpike/sdk/express";
import { turnpikeFastify, type FastifyRouteConfig } from "@turnpike/sdk/fastify";
import { turnpikeHono } from "@turnpike/sdk/hono";
import { turnpikeNext } from "@turnpike/sdk/next";

const turnpike = createTurnpike({ url: "http://127.0.0.1:9", serviceKey: "tp_svc_x", retriesMax: 0 });
export const route: FastifyRouteConfig = { turnpike: { cost: 5, onUnavailable: "allow" } };
export const handler = turnpikeNext(turnpike, (_request, { turnpike: caller }) => {
  const { tenant }: Caller = caller;
  return new Response(tenant);
});
export const middleware = [turnpikeExpress(turnpike, { cost: 2 }), turnpikeHono(turnpike), turnpikeFastify];
const refused = await handler(new Request("http://localhost/v1"), {});
const verdict: Verification | string = await turnpike
  .verify({ key: "k" })
  .catch((error: unknown) => (error instanceof TurnpikeUnavailableError ? error.name : "other"));
console.log(JSON.stringify([refused.status, verdict, middleware.map((each) => typeof each)]));
`;

describe("the package as it is published", () => {
  let folder: TempFolder;
  let packed: Packed;
  beforeAll(async () => {
    folder = await makeTempFolder();
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder.path], {
      cwd: PACKAGE,
    });
    const [first] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as Packed[];
    packed = first ?? { filename: "", files: [] };
    await writeFile(join(folder.path, "package.json"), '{ "private": true, "type": "module" }');
    const tarball = `./${packed.filename}`;
    const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    await run("npm", ["install", ...options, tarball], { cwd: folder.path });
  }, 120_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  it("is clean for publint", async () => {
    const tarball = await readFile(join(folder.path, packed.filename));
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(tarball).buffer },
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it("carries what it says, and neither tests nor anything of the rest", async () => {
    const paths = packed.files.map((file) => file.path);
    expect(paths).toContain("LICENSE");
    expect(paths).toContain("dist/express.d.ts");
    expect(paths.filter((path) => /test|fixture|tsconfig/.test(path))).toEqual([]);
    const { stdout } = await run(
      "grep",
      ["-rlE", "@turnpike/(contract|domain)|node:", "dist", "src"],
      {
        cwd: join(folder.path, "node_modules/@turnpike/sdk"),
      },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
    const manifest = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).not.toHaveProperty("private");
  });

  it("is understood by a compiler and by Node where nothing else is installed", async () => {
    await writeFile(join(folder.path, "program.ts"), PROGRAM);
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext"];
    await run(
      process.execPath,
      [TSC, ...flags, "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "program.ts"],
      { cwd: folder.path },
    ).catch((error: { stdout: string }) => expect(error.stdout).toBe(""));
    const { stdout } = await run(process.execPath, ["program.js"], {
      cwd: folder.path,
      env: { PATH: process.env["PATH"] },
    });
    expect(JSON.parse(stdout)).toEqual([
      401,
      "TurnpikeUnavailableError",
      ["function", "function", "function"],
    ]);
  });
});
