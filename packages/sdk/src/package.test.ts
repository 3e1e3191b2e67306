import { execFile, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PACKAGE = resolve(import.meta.dirname, "..");
const ROOT = resolve(PACKAGE, "../..");
const TSC = resolve(ROOT, "node_modules/typescript/bin/tsc");
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
// A route of Next's with a parameter, and what Next asks of it.
type Params = Promise<{ id: string }>;
export const GET = turnpikeNext(
  turnpike,
  async (_request: Request, { params, turnpike: caller }: { params: Params; turnpike: Caller }) =>
    new Response(caller.tenant + (await params).id),
);
export const asNextWantsIt: (request: Request, context: { params: Params }) => Promise<Response> = GET;
export const middleware = [turnpikeExpress(turnpike, { cost: 2 }), turnpikeHono(turnpike), turnpikeFastify];
// Plain Node has no query: what it has is typed all the same.
export const ofNode = turnpikeExpress(turnpike, { resource: ({ url }) => url ?? "/" });
/** What a verdict always says, without a question for each field. */
export function sum(said: Verification): string {
  if (said.valid) {
    const { code, keyId, tenantId, planId, planVersion, scopes, limits }: { code: "VALID" } & typeof said = said;
    return [code, keyId, tenantId, planId, planVersion.toFixed(), ...scopes, ...limits.map(({ name }) => name)].join();
  }
  const whose: string = said.keyId === undefined ? "no one" : said.tenantId + said.scopes.join();
  return whose + said.detail.trim() + String(said.offer?.url.length) + String(said.limits?.length);
}
const refused = await handler(new Request("http://localhost/v1"), {});
const verdict: Verification | string = await turnpike
  .verify({ key: "k" })
  .catch((error: unknown) => (error instanceof TurnpikeUnavailableError ? error.name : "other"));
console.log(JSON.stringify([refused.status, verdict, middleware.map((each) => typeof each)]));
`;

/** Policies that decide by the framework's own request, with and without its type, beside routes that keep theirs. */
const POLICIES = `
import { createTurnpike, type Caller } from "@turnpike/sdk";
import { turnpikeExpress } from "@turnpike/sdk/express";
import { turnpikeFastify, type FastifyRouteConfig } from "@turnpike/sdk/fastify";
import { turnpikeHono, type TurnpikeEnv } from "@turnpike/sdk/hono";
import { turnpikeNext } from "@turnpike/sdk/next";
import express from "express";
import fastify, { type FastifyRequest } from "fastify";
import { Hono, type Context } from "hono";
import { createServer, type IncomingMessage } from "node:http";

const turnpike = createTurnpike({ url: "http://127.0.0.1:9", serviceKey: "tp_svc_x" });
const count = (text: unknown): number => Number(text ?? 1);

const app = express();
const guard = turnpikeExpress(turnpike, { cost: (r) => Number(r.query.cost), onError: (_, r) => console.log(r.path) });
app.use(guard, turnpikeExpress(turnpike, { cost: (r) => Number(r.query.cost), scopes: (r) => r.hostname }));
app.use("/v1", guard, turnpikeExpress(turnpike, { address: (r) => r.get("cf-connecting-ip") }));
for (const typed of [
  guard,
  turnpikeExpress(turnpike, { cost: (r: express.Request) => count(r.query.cost) }),
  turnpikeExpress<express.Request>(turnpike, { cost: (r) => count(r.cookies) }),
]) {
  app.get("/v1/:id", typed, (r, response) => void response.json([r.params.id.trim(), r.turnpike?.tenant]));
}
app.get("/v2/:id", turnpikeExpress(turnpike, { cost: (r) => Number(r.query.cost), resource: (r) => String(r.params.id) }), (r, response) => {
  response.json(r.params.id.trim());
});
const ofNode = turnpikeExpress(turnpike, { resource: (r: IncomingMessage) => r.url ?? "/" });
createServer((request, response) => ofNode(request, response, () => response.end()));

const server = fastify();
type Counted = FastifyRequest<{ Querystring: { cost?: string } }>;
await server.register(turnpikeFastify, { turnpike, cost: (r: Counted) => count(r.query.cost), onError: (error, r) => r.log.error(error) });
await server.register(turnpikeFastify, { turnpike, resource: async (r: FastifyRequest) => r.url, address: (r) => String(r.headers["x-real-ip"]) });
export const config: FastifyRouteConfig = { turnpike: { cost: (r: Counted) => count(r.query.cost), scopes: (r) => r.method } };

type Env = { Bindings: { ip: string }; Variables: TurnpikeEnv["Variables"] & { user: string } };
const hono = new Hono<Env>();
const inHono = turnpikeHono(turnpike, { cost: (c) => count(c.req.query("cost")), resource: (c) => c.req.param("id") ?? c.req.path });
hono.use(inHono, turnpikeHono(turnpike, { address: (c: Context<Env>) => c.env.ip }));
hono.get("/v1/:id", inHono, turnpikeHono(turnpike, { cost: (c: Context) => count(c.req.query("cost")) }), (c) =>
  c.json([c.req.param("id").trim(), c.get("user"), c.get("turnpike").tenant]),
);

// As Next's own request is, which is not installed here.
declare class NextRequest extends Request {
  nextUrl: URL;
}
const own = { cost: (r: NextRequest) => count(r.nextUrl.searchParams.get("cost")) };
const handlers = [
  turnpikeNext(turnpike, () => new Response(), own),
  turnpikeNext(turnpike, (r: NextRequest) => new Response(r.nextUrl.href), { cost: (r) => count(r.nextUrl.search) }),
  turnpikeNext(turnpike, (r, { turnpike: { tenant } }: { turnpike: Caller }) => new Response(r.url + tenant), own),
];
export const asNextWantsThem: ((request: NextRequest, context: object) => Promise<Response>)[] = handlers;
`;

const COMMONJS_PROGRAM = `
import { createTurnpike, type Verification } from "@turnpike/sdk";
import { turnpikeExpress } from "@turnpike/sdk/express";
import { turnpikeFastify } from "@turnpike/sdk/fastify";
import { turnpikeHono } from "@turnpike/sdk/hono";
import { turnpikeNext } from "@turnpike/sdk/next";
declare const console: { log(...texts: string[]): void };
export const nameTenant = ({ tenantId }: Verification): string | undefined => tenantId;
console.log(typeof createTurnpike, typeof turnpikeExpress, typeof turnpikeFastify, typeof turnpikeHono, typeof turnpikeNext);
`;

/** The commands of a page that begin in one way, as they are typed. */
async function readCommands(page: string, which: RegExp): Promise<string[]> {
  const text = await readFile(join(ROOT, page), "utf8");
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, body = ""]) => body);
  return blocks.flatMap((body) => body.split("\n")).filter((line) => which.test(line));
}

/** What follows `npm` in a command of the page, with a folder of the test instead of the page's. */
function toArguments(command: string, folder: string): string[] {
  return command.replaceAll("/tmp", folder).split(" ").slice(1);
}

/** What the examples of a page take for granted. */
const GIVEN = `
declare const key: string;
declare const prompt: string;
declare function answerWithModel(prompt: string): Promise<{ tokens: number }>;
`;

/** The examples of a page as one program: the first makes the client, the others use it. */
async function readExamples(page: string): Promise<string> {
  const text = await readFile(join(ROOT, page), "utf8");
  const codes = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
  const imports = codes.flatMap((code) => code.match(/^import .*$/gm) ?? []);
  const [first, ...others] = codes.map((code) => code.replaceAll(/^import .*$/gm, ""));
  expect(first).toContain("createTurnpike({");
  return [...imports, first, GIVEN, ...others.map((code) => `{\n${code}}\n`)].join("\n");
}

describe("the package as it is published", () => {
  let folder: TempFolder;
  let packed: Packed;
  beforeAll(async () => {
    folder = await makeTempFolder();
    const [pack = "", install = ""] = await readCommands("docs/sdk.md", /^npm (pack|install) /);
    const { stdout } = await run("npm", [...toArguments(pack, folder.path), "--json"], {
      cwd: ROOT,
    });
    const [first] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as Packed[];
    packed = first ?? { filename: "", files: [] };
    await writeFile(join(folder.path, "package.json"), '{ "private": true, "type": "module" }');
    const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    await run("npm", [...toArguments(install, folder.path), ...options], { cwd: folder.path });
  });
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

  it.each([
    ["commonjs.ts", ["--module", "commonjs", "--moduleResolution", "node10"]],
    ["commonjs.cts", ["--module", "nodenext"]],
  ])("is required by a CommonJS program %s, compiled with %j", async (name, flags) => {
    await writeFile(join(folder.path, name), COMMONJS_PROGRAM);
    const all = [...flags, "--ignoreDeprecations", "6.0", "--strict", "--target", "es2022"];
    await run(process.execPath, [TSC, ...all, "--lib", "es2022,dom", "--outDir", "cjs", name], {
      cwd: folder.path,
    }).catch((error: { stdout: string }) => expect(error.stdout).toBe(""));
    await writeFile(join(folder.path, "cjs/package.json"), '{ "type": "commonjs" }');
    const made = join("cjs", name.replace("ts", "js"));
    const { stdout } = await run(process.execPath, [made], { cwd: folder.path });
    expect(stdout).toBe("function function function function function\n");
  });

  /** Compiles a program that has the frameworks' types beside the package. */
  async function compileStrictly(program: string): Promise<void> {
    await writeFile(join(folder.path, "strict.ts"), program);
    const modules = join(ROOT, "node_modules");
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      module: "nodenext",
      types: ["node"],
      typeRoots: [join(modules, "@types")],
      paths: {
        express: [join(modules, "@types/express")],
        fastify: [join(modules, "fastify/fastify.d.ts")],
        hono: [join(modules, "hono/dist/types/index.d.ts")],
      },
    };
    const config = JSON.stringify({ compilerOptions, files: ["strict.ts"] });
    await writeFile(join(folder.path, "tsconfig.json"), config);
    await run(process.execPath, [TSC, "--project", folder.path]).catch(
      (error: { stdout: string }) => expect(error.stdout).toBe(""),
    );
  }

  it.each(["docs/sdk.md", "packages/sdk/README.md"])(
    "is used by the examples of %s as a strict compiler wants it",
    async (page) => compileStrictly(await readExamples(page)),
  );

  it("gives a policy the framework's own request, and leaves the routes behind it their types", async () => {
    await compileStrictly(POLICIES);
  });

  it.each(["express", "fastify", "hono", "next"])(
    "is what examples/%s runs with as its page says",
    async (name) => {
      const [start = ""] = await readCommands(`examples/${name}/README.md`, /npm start/);
      const { NODE_OPTIONS: _, NODE_ENV: __, ...env } = process.env;
      // A group of its own: npm and the shell pass a signal on or not, as they please.
      const program = spawn(start.replace("localhost:3000", "127.0.0.1:9"), {
        cwd: ROOT,
        env: { ...env, PORT: "0" },
        shell: true,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      const keep = (chunk: Buffer) => {
        output += chunk.toString();
      };
      program.stdout.on("data", keep);
      program.stderr.on("data", keep);
      const ended = new Promise((done) => program.once("close", done));
      try {
        const port = await pollUntil("the example listens, or ends", () => {
          expect(program.exitCode, output).toBeNull();
          return /Listening on .*?(?:"port":|127\.0\.0\.1:)(\d+)/.exec(output)?.[1];
        });
        const answer = await fetch(`http://127.0.0.1:${port}/v1/whoami`);
        expect(answer.status).toBe(401);
        expect(await answer.json()).toMatchObject({ code: "MISSING_KEY" });
      } finally {
        process.kill(-(program.pid ?? process.pid), "SIGTERM");
        await ended;
      }
    },
  );
});
