import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

it("notices that what started it is gone, also when that was killed", async () => {
  const program = `
    import { watchNpm } from ${JSON.stringify(join(import.meta.dirname, "watch-npm.ts"))};
    const alive = setInterval(() => undefined, 1_000);
    watchNpm(true, () => { console.log("ended"); clearInterval(alive); });
    console.log("watching");`;
  // The shell waits for its child like that of npm, and says nothing to it when it is killed.
  const shell = spawn(
    "sh",
    ["-c", '"$0" --input-type=module --eval "$1" & wait', process.execPath, program],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("watching");
  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect((await lines.next()).value).toBe("ended");
});
