import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { describeAncestors } from "./watch-npm.ts";

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

it("follows npm behind its shell, and not what started npm", () => {
  const behind = (commandLine: string) =>
    describeAncestors(20, () => ({ commandLine, parent: "10" }));
  expect(behind("sh\0-c\0turnpike\0")).toBe("20 10");
  expect(behind("npm exec turnpike")).toBe("20");
  expect(describeAncestors(20, () => undefined)).toBe("20");
});
