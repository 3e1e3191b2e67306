import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, "..");
const BUILD = `import { ensurePackage } from ${JSON.stringify(join(import.meta.dirname, "run/package.mjs"))};
  await ensurePackage();`;

const STRANGER_ID = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const READY_DEADLINE_MS = 240_000;

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: { "/pets/{id}": { get: { parameters: [{ name: "id", in: "path", example: 7 }] } } },
};

type Product = { child: ChildProcess; output(): string; ended: Promise<number | null> };

describe("the npm package, from its tarball in a folder without the checkout", () => {
  let temp: TempFolder;
  /** Where a person types `npx turnpike`. */
  let folder: string;
  let environment: Record<string, string>;
  let api: Server;
  let apiUrl: string;
  const paths: (string | undefined)[] = [];

  beforeAll(async () => {
    await run(process.execPath, ["--input-type=module", "--eval", BUILD]);
    temp = await makeTempFolder();
    await chmod(temp.path, 0o755);
    folder = join(temp.path, "project");
    const bin = join(temp.path, "bin");
    await mkdir(folder);
    await mkdir(bin);
    // Another user may be unable to enter the checkout, which the Node of this test is part of.
    await copyFile(process.execPath, join(bin, "node"));
    const path = (process.env["PATH"] ?? "").split(delimiter);
    const foreign = path.filter((each) => !each.includes("node_modules"));
    const settings = Object.entries(process.env).filter(([name]) =>
      /^(.*_proxy|npm_config_(registry|cache|userconfig|cafile))$/i.test(name),
    );
    environment = {
      ...Object.fromEntries(settings.map(([name, value]) => [name, value ?? ""])),
      HOME: process.env["HOME"] ?? temp.path,
      PATH: [bin, ...foreign].join(delimiter),
    };
    const options = { cwd: join(ROOT, "dist/package"), env: environment };
    const { stdout } = await run(
      "npm",
      ["pack", "--silent", "--pack-destination", temp.path],
      options,
    );
    const tarball = join(temp.path, stdout.trim());
    // Scripts of packages are not run where someone has not allowed them.
    await run(
      "npm",
      ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball],
      { cwd: folder, env: environment },
    );
    await writeFile(join(folder, "openapi.json"), JSON.stringify(DOCUMENT));
    if (IS_ROOT) {
      await chown(folder, STRANGER_ID, STRANGER_ID);
    }
    api = createServer((request, reply) => {
      paths.push(request.url);
      reply.end("[]");
    }).listen(0, "127.0.0.1");
    await once(api, "listening");
    const address = api.address();
    apiUrl = `http://127.0.0.1:${String(typeof address === "object" ? address?.port : "")}`;
  });

  afterAll(async () => {
    api?.close();
    await temp?.[Symbol.asyncDispose]();
  });

  /** As npm starts it, by the first line of the program. */
  const program = () => join(folder, "node_modules/.bin/turnpike");
  const stranger = { ...(IS_ROOT && { uid: STRANGER_ID, gid: STRANGER_ID }) };

  async function startProduct(
    args: string[],
    user: { uid?: number; gid?: number },
  ): Promise<Product> {
    const child = spawn(program(), args, {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, as a terminal gives to a command.
      detached: true,
      ...user,
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    const output = () => Buffer.concat(chunks).toString("utf8");
    const ended = new Promise<number | null>((settle) => child.once("exit", settle));
    const isReady = pollUntil(
      "the first screen",
      () => (output().includes("The first call") ? true : undefined),
      READY_DEADLINE_MS,
    );
    const end = ended.then((code) => {
      throw new Error(`turnpike ended with ${String(code)}:\n${output()}`);
    });
    end.catch(() => undefined);
    await Promise.race([isReady, end]);
    return { child, output, ended };
  }

  async function interrupt({ child, ended, output }: Product): Promise<void> {
    process.kill(-(child.pid ?? Number.NaN), "SIGINT");
    expect(await ended, output()).toBe(0);
  }

  it("puts keys, limits and metering in front of an API, and ends cleanly on Ctrl+C", async () => {
    const port = await findFreePort();
    const programs = await findFreePort();
    const ports = ["--port", String(port), "--gateway-port", String(programs)];
    const product = await startProduct([apiUrl, "--openapi", "openapi.json", ...ports], stranger);
    expect(product.output()).toContain(`http://localhost:${String(port)}/register#setup=`);
    const options = { cwd: folder, env: environment, ...stranger };
    const trial = await run(program(), ["try", "--json"], options);
    const { key, status, url } = JSON.parse(trial.stdout);
    expect({ status, url }).toEqual({
      status: 200,
      url: `http://localhost:${String(programs)}/pets/7`,
    });
    expect(paths).toEqual(["/pets/7"]);
    const refused = await fetch(url, { headers: { Authorization: `Bearer ${String(key)}x` } });
    expect(refused.status).toBe(401);
    expect(paths).toHaveLength(1);
    const page = await (await fetch(`http://localhost:${String(port)}/`)).text();
    expect(page).toContain("<title>");

    await pollUntil("the call is in the ledger", async () => {
      const usage = await run(
        program(),
        ["usage", "--tenant", "first-customer", "--by", "route"],
        options,
      );
      return /\/pets\/\{id\} +1/.test(usage.stdout) ? true : undefined;
    });
    await interrupt(product);
    const data = await readdir(join(folder, ".turnpike"));
    expect(data).not.toContain("turnpike.pid");
    expect(await readFile(join(folder, ".turnpike/.gitignore"), "utf8")).toBe("*\n");
  });

  it.runIf(IS_ROOT)("runs for root as well, whose database is another user's", async () => {
    const data = join(temp.path, "data");
    const product = await startProduct(
      [apiUrl, "--data", data, "--port", "0", "--gateway-port", "0"],
      {},
    );
    expect(product.output()).toContain(`TURNPIKE_DATA_DIR=${data} npx turnpike try`);
    await interrupt(product);
  });

  it("says what it needs on a Node that is too old", async () => {
    const old = 'Object.defineProperty(process,"versions",{value:{node:"20.1.0"}})';
    const ended = run(process.execPath, ["--import", `data:text/javascript,${old}`, program()]);
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^turnpike: it needs Node 24\.7 or newer, [^\n]*20\.1\.0[^\n]*\n$/,
      ),
    });
  });
});
