import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it, onTestFinished } from "vitest";

type Outcome = { code: number | null; stdout: string; stderr: string };

/** Writes down how it was called and does what `npm install` would: brings Node and Vite. */
const FAKE_NPM = `
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
if (process.env.FAKE_NPM_FAILS) { console.log("registry unreachable"); process.exit(1); }
appendFileSync("npm.log", JSON.stringify({ args: process.argv.slice(2), env: process.env }) + "\\n");
if (!process.env.FAKE_NPM_WITHOUT_SCRIPTS) {
  mkdirSync("node_modules/node/bin", { recursive: true });
  try { symlinkSync(process.execPath, "node_modules/node/bin/node"); } catch {}
}
`;
const FAKE_VITE = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
appendFileSync("../../vite.log", "built\\n");
mkdirSync("dist", { recursive: true });
mkdirSync("dist-server", { recursive: true });
if (readFileSync("src/main.tsx", "utf8").includes("broken")) { console.log("main.tsx: broken"); process.exit(1); }
writeFileSync("dist/index.html", "<!doctype html>");
writeFileSync("dist-server/entry-server.js", "");
`;
const FAKE_TSC = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
appendFileSync("../../tsc.log", "built\\n");
if (readFileSync("src/index.ts", "utf8").includes("broken")) { console.log("index.ts: broken"); process.exit(1); }
mkdirSync("dist", { recursive: true });
for (const entry of ["index", "express", "fastify", "hono", "next"]) {
  writeFileSync("dist/" + entry + ".js", "");
  writeFileSync("dist/" + entry + ".d.ts", "");
}
`;
const MANIFEST = { name: "probe", workspaces: ["apps/*"], dependencies: { one: "1.0.0" } };

/** A checkout of its own that has the commands and fakes of what they start. */
class Checkout {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async write(file: string, text: string): Promise<void> {
    const path = join(this.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  async read(file: string): Promise<string> {
    return await readFile(join(this.path, file), "utf8").catch(() => "");
  }

  async countLines(file: string): Promise<number> {
    return (await this.read(file)).split("\n").length - 1;
  }

  start(args: readonly string[], env: Record<string, string> = {}): SpawnedScript {
    return spawnScript(
      `for (const [name, value] of Object.entries(JSON.parse(process.argv[2]))) process.env[name] = value;
       process.env.npm_execpath = process.argv[1] + "/fake-npm.js";
       const [checkout, , ...args] = process.argv.slice(1);
       process.argv = [process.execPath, checkout + "/tools/run.mjs", ...args];
       await import(process.argv[1]);`,
      this.path,
      JSON.stringify(env),
      ...args,
    );
  }

  async run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    const { child, exited } = this.start(args, env);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    const closed = new Promise((resolve) => child.once("close", resolve));
    const code = await exited;
    await closed;
    return {
      code,
      stdout: Buffer.concat(stdout).toString(),
      stderr: Buffer.concat(stderr).toString(),
    };
  }
}

async function makeCheckout(): Promise<Checkout> {
  const folder = await makeTempFolder();
  onTestFinished(async () => folder[Symbol.asyncDispose]());
  const checkout = new Checkout(folder.path);
  await cp(join(import.meta.dirname, "run"), join(folder.path, "tools/run"), { recursive: true });
  for (const name of ["run.mjs", "ensure-chromium.mjs"]) {
    await cp(join(import.meta.dirname, name), join(folder.path, "tools", name));
  }
  await checkout.write("package.json", JSON.stringify({ ...MANIFEST, type: "module" }));
  await checkout.write("apps/server/package.json", JSON.stringify({ name: "server" }));
  await checkout.write(
    "apps/server/src/cli/main.ts",
    "console.log(JSON.stringify(process.argv.slice(2)));",
  );
  await checkout.write("apps/server/src/main.ts", 'console.log("serving");');
  await checkout.write("apps/console/src/main.tsx", "");
  await checkout.write("package-lock.json", "{}");
  await checkout.write("fake-npm.js", FAKE_NPM);
  await checkout.write("node_modules/vite/bin/vite.js", FAKE_VITE);
  await checkout.write("node_modules/vite/package.json", '{"type":"module"}');
  await checkout.write("packages/sdk/src/index.ts", "");
  await checkout.write("node_modules/typescript/bin/tsc", FAKE_TSC);
  await checkout.write("node_modules/typescript/package.json", '{"type":"module"}');
  return checkout;
}

describe("npm run", () => {
  it("names its commands when asked for another", async () => {
    const checkout = await makeCheckout();
    const { code, stderr } = await checkout.run(["fly"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "start|dev|test|test:unit|test:busy|soak|verify|bench|cluster|catalogue|strings|replay|turnpike|build",
    );
    expect(await checkout.countLines("npm.log")).toBe(0);
  });

  it("leaves standard output to the command, so that --json can be parsed", async () => {
    const checkout = await makeCheckout();
    const { code, stdout } = await checkout.run(["turnpike", "usage", "--json"]);
    expect(JSON.parse(stdout)).toEqual(["usage", "--json"]);
    expect(code).toBe(0);
  });

  it("starts the product and its command line without the name that leads to the prototype of all objects", async () => {
    const checkout = await makeCheckout();
    const look = 'console.log("__proto__" in {});';
    await checkout.write("apps/server/src/main.ts", look);
    await checkout.write("apps/server/src/cli/main.ts", look);
    for (const command of ["start", "turnpike"]) {
      expect((await checkout.run([command])).stdout, command).toBe("false\n");
    }
  });

  it("passes the exit code on", async () => {
    const checkout = await makeCheckout();
    await checkout.write("apps/server/src/cli/main.ts", "process.exitCode = 3;");
    expect((await checkout.run(["turnpike"])).code).toBe(3);
  });

  it("passes a signal on once, however often it comes, and waits for the end", async () => {
    const checkout = await makeCheckout();
    await checkout.write(
      "apps/server/src/cli/main.ts",
      `let count = 0;
       process.on("SIGTERM", () => {
         count += 1;
         setTimeout(() => { console.log("drained after " + count); process.exit(4); }, 200);
       });
       setInterval(() => {}, 1000);
       console.log("up");`,
    );
    const script = checkout.start(["turnpike"]);
    expect(await script.nextLine()).toBe("up");
    script.child.kill("SIGTERM");
    script.child.kill("SIGTERM");
    expect(await script.nextLine()).toBe("drained after 1");
    expect(await script.exited).toBe(4);
  });
});

describe("npm run test:busy", () => {
  it.runIf(process.platform === "linux")(
    "runs the tests beside busy processes, says how each run ended, and leaves none behind",
    async () => {
      const checkout = await makeCheckout();
      // Stands in for the tests: it counts the processes beside it.
      await checkout.write(
        "tools/run/test.mjs",
        `import { readFileSync, writeFileSync } from "node:fs";
         export const runUnitTests = () => 0;
         export const runSoak = () => 0;
         export async function runTests() {
           const pids = readFileSync("/proc/" + process.ppid + "/task/" + process.ppid + "/children", "utf8").trim().split(" ");
           const others = pids.filter((pid) => Number(pid) !== process.pid);
           writeFileSync("others.json", JSON.stringify(others));
           console.log(others.length + " passed, 0 failed, 0 skipped");
           return 0;
         }`,
      );
      const { code, stdout } = await checkout.run(["test:busy", "2"]);
      expect(stdout).toMatch(/run 1: 4 passed, 0 failed, 0 skipped, .*\nrun 2: 4 passed/);
      expect(code).toBe(0);
      const others: string[] = JSON.parse(await checkout.read("others.json"));
      await pollUntil("they are gone", () => others.every((pid) => !existsSync(`/proc/${pid}`)));
    },
  );
});

describe("a program with a time limit", () => {
  const script = (program: string, timeLimitMs: number) =>
    `import { runProgram } from ${JSON.stringify(join(import.meta.dirname, "run/program.mjs"))};
     const code = await runProgram(["--eval", ${JSON.stringify(program)}], { timeLimitMs: ${String(timeLimitMs)} });
     console.log("code " + code);`;

  it("is ended when it does not end by itself", async () => {
    const { nextLine } = spawnScript(script("setInterval(() => {}, 1000)", 300));
    expect(await nextLine()).toBe("code 124");
  });

  it("is distinguished from one that ends in time", async () => {
    const { nextLine, exited } = spawnScript(script("process.exitCode = 3", 60_000));
    expect(await nextLine()).toBe("code 3");
    expect(await exited).toBe(0);
  });
});

describe.each(["SIGTERM", "SIGKILL"] as const)("%s for npm", (signal) => {
  it.runIf(process.platform === "linux")("ends what it started, in good order", async () => {
    const checkout = await makeCheckout();
    const scripts = { turnpike: "node tools/run.mjs turnpike" };
    await checkout.write("package.json", JSON.stringify({ ...MANIFEST, type: "module", scripts }));
    await checkout.run(["turnpike"]);
    await checkout.write(
      "apps/server/src/cli/main.ts",
      `import { writeFileSync } from "node:fs";
       process.on("SIGTERM", () => { writeFileSync("drained", ""); process.exit(); });
       setInterval(() => {}, 1000);
       writeFileSync("up", "");`,
    );
    const npm = spawn("npm", ["run", "turnpike"], { cwd: checkout.path, stdio: "ignore" });
    await pollUntil("the program is up", () => existsSync(join(checkout.path, "up")));
    npm.kill(signal);
    await pollUntil("the program has drained", () => existsSync(join(checkout.path, "drained")));
  });
});

describe("the installation", () => {
  it("happens once, and again when what is to be installed changes", async () => {
    const checkout = await makeCheckout();
    await checkout.run(["turnpike"]);
    await checkout.run(["turnpike"]);
    expect(await checkout.countLines("npm.log")).toBe(1);

    const scripts = { ...MANIFEST, type: "module", scripts: { start: "something" } };
    await checkout.write("package.json", JSON.stringify(scripts));
    await checkout.run(["turnpike"]);
    expect(await checkout.countLines("npm.log")).toBe(1);

    const manifest = { name: "server", dependencies: { two: "2.0.0" } };
    await checkout.write("apps/server/package.json", JSON.stringify(manifest));
    await checkout.run(["turnpike"]);
    expect(await checkout.countLines("npm.log")).toBe(2);
  });

  it("happens once when two commands need it at the same time", async () => {
    const checkout = await makeCheckout();
    const outcomes = await Promise.all([1, 2, 3].map(() => checkout.run(["turnpike"])));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await checkout.countLines("npm.log")).toBe(1);
  });

  it("is not held up by the lock of a command that was killed", async () => {
    const checkout = await makeCheckout();
    await checkout.write("node_modules/.turnpike/install.lock", "2147483647");
    expect((await checkout.run(["turnpike"])).code).toBe(0);
    expect(await checkout.countLines("npm.log")).toBe(1);
  });

  it.each(["its own pid", "nothing"])(
    "is not held up by a lock left behind with %s in it",
    async (holder) => {
      const checkout = await makeCheckout();
      const path = join(checkout.path, "node_modules/.turnpike/install.lock");
      await checkout.write("node_modules/.turnpike/install.lock", "");
      await utimes(path, 0, 0);
      const script = spawnScript(
        `import { writeFileSync } from "node:fs";
       const [path, holder, lock] = process.argv.slice(1);
       if (holder === "its own pid") writeFileSync(path, String(process.pid));
       const { withLock } = await import(lock);
       await withLock("install", () => console.log("taken"));`,
        path,
        holder,
        join(checkout.path, "tools/run/lock.mjs"),
      );
      onTestFinished(() => script.kill());
      expect(await script.nextLine()).toBe("taken");
      expect(await script.exited).toBe(0);
      expect(existsSync(path)).toBe(false);
    },
  );

  it("waits for one that has just been made and does not say by whom", async () => {
    const checkout = await makeCheckout();
    await checkout.write("node_modules/.turnpike/install.lock", "");
    const { child, exited } = checkout.start(["turnpike"]);
    const told = once(child.stderr ?? child, "data");
    expect(String(await told)).toContain("waiting for another command");
    expect(await exited).toBe(0);
  });

  it("keeps the settings of the npm around it out", async () => {
    const checkout = await makeCheckout();
    await checkout.run(["turnpike"], {
      npm_config_workspace: "console",
      npm_config_registry: "https://registry.example",
      NODE_ENV: "production",
    });
    const { args, env } = JSON.parse(await checkout.read("npm.log"));
    expect(args).toContain("--no-save");
    expect(env).not.toHaveProperty("npm_config_workspace");
    expect(env).not.toHaveProperty("NODE_ENV");
    expect(env).toHaveProperty("npm_config_registry", "https://registry.example");
  });

  it("shows what npm said when it failed, and tries again the next time", async () => {
    const checkout = await makeCheckout();
    const failed = await checkout.run(["turnpike"], { FAKE_NPM_FAILS: "1" });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("registry unreachable");
    expect((await checkout.run(["turnpike"])).code).toBe(0);
  });

  it("says so when npm is set to run no scripts", async () => {
    const checkout = await makeCheckout();
    const { code, stderr } = await checkout.run(["turnpike"], { FAKE_NPM_WITHOUT_SCRIPTS: "1" });
    expect(code).toBe(1);
    expect(stderr).toContain("--ignore-scripts=false");
  });
});

describe("the console", () => {
  it("is built before the server starts, once, and again when a source changes", async () => {
    const checkout = await makeCheckout();
    expect((await checkout.run(["start"])).stdout).toBe("serving\n");
    await checkout.run(["start"]);
    expect(await checkout.countLines("vite.log")).toBe(1);

    await checkout.write("packages/ui/src/button.tsx", "new");
    await checkout.run(["start"]);
    expect(await checkout.countLines("vite.log")).toBe(2);

    await unlink(join(checkout.path, "apps/console/dist/index.html"));
    await checkout.run(["start"]);
    expect(await checkout.countLines("vite.log")).toBe(3);

    await unlink(join(checkout.path, "apps/console/dist-server/entry-server.js"));
    await checkout.run(["start"]);
    expect(await checkout.countLines("vite.log")).toBe(4);
  });

  it("that does not build stops the start with the reason", async () => {
    const checkout = await makeCheckout();
    await checkout.write("apps/console/src/main.tsx", "broken");
    const { code, stdout, stderr } = await checkout.run(["start"]);
    expect(code).toBe(1);
    expect(stderr).toContain("main.tsx: broken");
    expect(stdout).not.toContain("serving");
  });
});

describe("the SDK", () => {
  it("is built before the server starts, once, and again when a source changes or it is gone", async () => {
    const checkout = await makeCheckout();
    expect((await checkout.run(["start"])).stdout).toBe("serving\n");
    await checkout.run(["start"]);
    expect(await checkout.countLines("tsc.log")).toBe(1);

    await checkout.write("packages/sdk/src/index.ts", "new");
    await checkout.run(["start"]);
    expect(await checkout.countLines("tsc.log")).toBe(2);
    expect(await checkout.countLines("vite.log")).toBe(1);

    await unlink(join(checkout.path, "packages/sdk/dist/hono.js"));
    await checkout.run(["start"]);
    expect(await checkout.countLines("tsc.log")).toBe(3);
  });

  it("that does not build is said and does not stop the start, but the build", async () => {
    const checkout = await makeCheckout();
    await checkout.write("packages/sdk/src/index.ts", "broken");
    const started = await checkout.run(["start"]);
    expect(started.stdout).toBe("serving\n");
    expect(started.stderr).toContain("index.ts: broken");
    const built = await checkout.run(["build"]);
    expect(built.code).toBe(1);
    expect(built.stderr).toContain("index.ts: broken");
  });
});

describe("the report of a run", () => {
  async function read(entries: readonly object[], code: number) {
    const script = spawnScript(
      `import { readReport } from ${JSON.stringify(join(import.meta.dirname, "run/test.mjs"))};
       console.log(JSON.stringify(readReport(process.argv[1], Number(process.argv[2]))));`,
      entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
      String(code),
    );
    return JSON.parse(await script.nextLine());
  }
  const green = { ended: "unit a.test.ts", passed: 5, failed: [], skipped: [] };

  it("adds up what passed, failed and was skipped, and says why at the end", async () => {
    const report = await read(
      [
        { planned: "unit a.test.ts" },
        { planned: "unit b.test.ts" },
        { started: "unit a.test.ts" },
        green,
        { started: "unit b.test.ts" },
        {
          ended: "unit b.test.ts",
          passed: 1,
          failed: [{ name: "b holds", message: "1 is not 2\n at b.ts:3" }],
          skipped: [{ name: "b waits", message: "no PostgreSQL 15" }],
        },
        { unhandled: [] },
      ],
      1,
    );
    expect(report).toEqual({
      counts: { passed: 6, failed: 1, skipped: 1 },
      lines: [
        "FAILED  unit b.test.ts > b holds\n        1 is not 2\n         at b.ts:3",
        "skipped unit b.test.ts > b waits: no PostgreSQL 15",
      ],
    });
  });

  it.each([
    {
      why: "that was cut short counts what was under way and what never began as failed",
      entries: [
        { planned: "unit a.test.ts" },
        { planned: "unit b.test.ts" },
        { started: "unit a.test.ts" },
      ],
      code: 124,
      lines: ["FAILED  unit a.test.ts did not end", "FAILED  unit b.test.ts never ran"],
    },
    {
      why: "counts an error outside of every test as a failure",
      entries: [green, { unhandled: ["boom"] }],
      code: 1,
      lines: ["FAILED  outside of every test\n        boom"],
    },
    {
      why: "fails when vitest did, also when it wrote otherwise",
      entries: [],
      code: 2,
      lines: ["FAILED  vitest ended with code 2"],
    },
  ])("$why", async ({ entries, code, lines }) => {
    const report = await read(entries, code);
    expect(report.lines).toEqual(lines);
    expect(report.counts.failed).toBe(lines.length);
  });
});

describe("temporary files of a run", () => {
  const GIB = 1024 ** 3;
  const mounted = (options: string, type = "tmpfs") =>
    `/dev/vda / ext4 rw 0 0\n${type} /dev/shm ${type} ${options} 0 0\n`;
  const roomy = { mounts: mounted("rw,relatime"), freeBytes: 20 * GIB, memoryBytes: 20 * GIB };

  it("are kept in memory where there is room for them and programs may be run", async () => {
    const machines = [
      roomy,
      { ...roomy, mounts: mounted("rw,nosuid,nodev,noexec") },
      { ...roomy, mounts: mounted("ro,relatime") },
      { ...roomy, mounts: mounted("rw", "ext4") },
      { ...roomy, mounts: "" },
      { ...roomy, freeBytes: 64 * 1024 ** 2 },
      { ...roomy, memoryBytes: 2 * GIB },
    ];
    const script = spawnScript(
      `import { hasRoomInMemory } from ${JSON.stringify(join(import.meta.dirname, "run/memory-folder.mjs"))};
       console.log(JSON.stringify(JSON.parse(process.argv[1]).map(hasRoomInMemory)));`,
      JSON.stringify(machines),
    );
    const usable: unknown = JSON.parse(await script.nextLine());
    expect(usable).toEqual([true, ...Array.from({ length: 6 }, () => false)]);
  });
});

describe("ensureChromium", () => {
  it("takes the one on the path, and the one that is named before it", async () => {
    const folder = await makeTempFolder();
    onTestFinished(async () => folder[Symbol.asyncDispose]());
    const program = join(folder.path, "chromium");
    await symlink(process.execPath, program);
    const ask = async (named: string): Promise<string> =>
      await spawnScript(
        `import { ensureChromium } from ${JSON.stringify(join(import.meta.dirname, "ensure-chromium.mjs"))};
         process.env.PATH = process.argv[1];
         if (process.argv[2]) process.env.CHROMIUM_PATH = process.argv[2];
         console.log(await ensureChromium());`,
        folder.path,
        named,
      ).nextLine();
    expect(await pollUntil("an answer", () => ask(""))).toBe(program);
    expect(await ask("/opt/chrome")).toBe("/opt/chrome");
  });
});
