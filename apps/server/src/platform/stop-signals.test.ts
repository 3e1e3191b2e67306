import { constants } from "node:os";
import { join } from "node:path";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { describe, expect, it, onTestFinished } from "vitest";

/** Drains for as long as it takes to send it a line. Each line first moves its clock by so many milliseconds. */
async function startDraining(): Promise<SpawnedScript> {
  const script = spawnScript(
    `import { createInterface } from "node:readline";
     import { onStopSignal } from ${JSON.stringify(join(import.meta.dirname, "stop-signals.ts"))};
     let nowMs = 0;
     const stopHearing = onStopSignal(() => nowMs, (signal) => console.log(signal));
     createInterface({ input: process.stdin }).on("line", (line) => {
       nowMs += Number(line) || 0;
       if (line === "drained") process.exit(0);
       if (line === "over") stopHearing();
       console.log("later");
     });
     console.log("up");`,
  );
  onTestFinished(async () => script.kill());
  expect(await script.nextLine()).toBe("up");
  return script;
}

describe("onStopSignal", () => {
  it("takes the copies of one request for one", async () => {
    const script = await startDraining();
    script.child.kill("SIGINT");
    expect(await script.nextLine()).toBe("SIGINT");
    script.child.kill("SIGTERM");
    script.child.kill("SIGINT");
    script.child.stdin?.write("0\n");
    expect(await script.nextLine()).toBe("later");
    script.child.stdin?.write("drained\n");
    expect(await script.exited).toBe(0);
  });

  it("outlives a copy that comes when what had to be ended is over", async () => {
    const script = await startDraining();
    script.child.kill("SIGINT");
    expect(await script.nextLine()).toBe("SIGINT");
    script.child.stdin?.write("over\n");
    expect(await script.nextLine()).toBe("later");
    script.child.kill("SIGINT");
    script.child.stdin?.write("0\n");
    expect(await script.nextLine()).toBe("later");
    script.child.stdin?.write("drained\n");
    expect(await script.exited).toBe(0);
  });

  it("does nothing once there is nothing left to stop", async () => {
    const script = await startDraining();
    script.child.stdin?.write("over\n");
    expect(await script.nextLine()).toBe("later");
    script.child.kill("SIGINT");
    expect(await script.exited).toBeNull();
  });

  it("ends at once when asked again later", async () => {
    const script = await startDraining();
    script.child.kill("SIGTERM");
    expect(await script.nextLine()).toBe("SIGTERM");
    script.child.stdin?.write("1001\n");
    expect(await script.nextLine()).toBe("later");
    script.child.kill("SIGINT");
    expect(await script.exited).toBe(128 + constants.signals.SIGINT);
  });
});
