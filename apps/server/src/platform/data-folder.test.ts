import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it, onTestFinished } from "vitest";
import { type DataFolder, openDataFolder, resolveDataFolder } from "./data-folder.ts";
import { StartupError } from "./startup-error.ts";

const IS_ROOT = process.getuid?.() === 0;
const MODULE = join(import.meta.dirname, "data-folder.ts");

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(async () => folder[Symbol.asyncDispose]());
  return folder.path;
}

async function open(path: string): Promise<DataFolder> {
  const folder = await openDataFolder(path);
  onTestFinished(async () => folder.release());
  return folder;
}

async function startupErrorOf(attempt: Promise<unknown>): Promise<StartupError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StartupError) {
    return error;
  }
  throw new Error("It should have failed with a StartupError.", { cause: error });
}

/** Holds the folder in another process, until that is killed. */
async function holdFromAnotherProcess(path: string): Promise<SpawnedScript> {
  const script = spawnScript(
    `import { openDataFolder } from ${JSON.stringify(MODULE)};
     await openDataFolder(process.argv[1]);
     console.log("held");
     setInterval(() => globalThis.gc?.(), 100);`,
    path,
  );
  onTestFinished(async () => script.kill());
  expect(await script.nextLine()).toBe("held");
  return script;
}

describe("resolveDataFolder", () => {
  const checkout = import.meta.dirname;

  it("takes the configured folder", () => {
    expect(resolveDataFolder({ configured: "/srv/tp", home: checkout, isRoot: true })).toBe(
      "/srv/tp",
    );
  });

  it("uses .turnpike in the checkout", () => {
    expect(resolveDataFolder({ home: checkout, isRoot: false })).toBe(join(checkout, ".turnpike"));
  });

  it("gives root a folder of this checkout's own under /var/lib/turnpike", () => {
    const here = resolveDataFolder({ configured: "", home: checkout, isRoot: true });
    expect(here).toMatch(/^\/var\/lib\/turnpike\/platform-[0-9a-f]{8}$/);
    expect(resolveDataFolder({ home: join(checkout, ".."), isRoot: true })).not.toBe(here);
  });
});

describe("openDataFolder", () => {
  it("makes it private, with parents that can be passed but not read", async () => {
    const path = join(await makeFolder(), "made", "data");
    await open(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, ".."))).mode & 0o777).toBe(0o711);
    for (const name of await readdir(path)) {
      expect((await stat(join(path, name))).mode & 0o077, name).toBe(0);
    }
  });

  it("closes an empty folder that others could read", async () => {
    const path = await makeFolder();
    await chmod(path, 0o755);
    await open(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it("refuses a folder with contents that others can read", async () => {
    const path = await makeFolder();
    await writeFile(join(path, "something"), "");
    await chmod(path, 0o755);
    const error = await startupErrorOf(openDataFolder(path));
    expect(error.code).toBe("DATA_FOLDER_EXPOSED");
    expect(error.hint).toContain(`chmod -R go-rwx ${path}`);
  });

  it("lets one process in at a time, and names the one that is there", async () => {
    const path = await makeFolder();
    const script = await holdFromAnotherProcess(path);
    const error = await startupErrorOf(openDataFolder(path));
    expect(error.code).toBe("DATA_FOLDER_IN_USE");
    expect(error.message).toContain(`(pid ${script.child.pid})`);
  });

  it("waits for a holder that is ending, says so once, and takes the folder when it is free", async () => {
    const path = await makeFolder();
    const holder = await openDataFolder(path);
    holder.markEnding();
    const lines: string[] = [];
    let nowMs = 0;
    const wait = {
      // Free only after more time than is given to one that is not ending.
      onWait: (line: string) => {
        lines.push(line);
        nowMs = 30_000;
        void holder.release();
      },
      isCancelled: () => false,
      monotonicMs: () => nowMs,
    };
    const taken = await openDataFolder(path, wait);
    onTestFinished(async () => taken.release());
    expect(lines).toEqual([
      `Waiting for process ${String(process.pid)}, which is stopping and still uses ${path}`,
    ]);
  });

  it("refuses a folder whose holder goes on, after a few seconds, and at once when the start is cancelled", async () => {
    const path = await makeFolder();
    await open(path);
    let nowMs = 0;
    const wait = {
      onWait: () => (nowMs = 3_000),
      isCancelled: () => false,
      monotonicMs: () => nowMs,
    };
    expect((await startupErrorOf(openDataFolder(path, wait))).code).toBe("DATA_FOLDER_IN_USE");
    const cancelled = { ...wait, isCancelled: () => true, monotonicMs: () => 0 };
    expect((await startupErrorOf(openDataFolder(path, cancelled))).code).toBe("DATA_FOLDER_IN_USE");
  });

  it("refuses a second holder in the same process", async () => {
    const path = await makeFolder();
    await open(path);
    expect((await startupErrorOf(openDataFolder(path))).code).toBe("DATA_FOLDER_IN_USE");
  });

  it("is free at once after kill -9, also when the pid in the file is another process by then", async () => {
    const path = await makeFolder();
    const script = await holdFromAnotherProcess(path);
    await script.kill();
    await writeFile(join(path, "turnpike.pid"), `${process.pid}\n`);
    expect((await open(path)).path).toBe(path);
  });

  it("goes to exactly one of many that ask at once after a kill", async () => {
    const path = await makeFolder();
    await (await holdFromAnotherProcess(path)).kill();
    const asking = Array.from({ length: 6 }, () =>
      spawnScript(
        `import { openDataFolder } from ${JSON.stringify(MODULE)};
         const line = await openDataFolder(process.argv[1]).then(() => "held", (error) => error.code);
         console.log(line);
         process.stdin.resume();`,
        path,
      ),
    );
    const answers = await Promise.all(asking.map((script) => script.nextLine()));
    await Promise.all(asking.map((script) => script.kill()));
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "DATA_FOLDER_IN_USE")).toHaveLength(5);
  });

  it("is free again after release", async () => {
    const path = await makeFolder();
    await (await open(path)).release();
    await open(path);
  });

  it("says so when a file is in the way", async () => {
    const parent = await makeFolder();
    await writeFile(join(parent, "file"), "");
    const error = await startupErrorOf(openDataFolder(join(parent, "file")));
    expect(error.code).toBe("DATA_FOLDER_NOT_WRITABLE");
  });

  it.runIf(IS_ROOT)("says so when it may not write there", async () => {
    const path = join(await makeFolder(), "of-root");
    await mkdir(path, { mode: 0o755 });
    const script = spawnScript(
      `import { openDataFolder } from ${JSON.stringify(MODULE)};
       process.setgroups([]); process.setgid(65534); process.setuid(65534);
       const error = await openDataFolder(process.argv[1]).catch((reason) => reason);
       console.log(error.code);
       console.log(error.hint);`,
      path,
    );
    expect(await script.nextLine()).toBe("DATA_FOLDER_NOT_WRITABLE");
    expect(await script.nextLine()).toContain("TURNPIKE_DATA_DIR");
  });
});
