import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it } from "vitest";
import { logLength, readLastLines, trimLog } from "./postgres-log.ts";

describe("readLastLines", () => {
  it("gives the last lines after a position, without empty ones", async () => {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "log");
    await writeFile(path, "old\n");
    const start = await logLength(path);
    await writeFile(path, "one\n\ntwo\nthree\n", { flag: "a" });
    expect(await readLastLines(path, start, 2)).toEqual(["two", "three"]);
    expect(await readLastLines(path, start, 10)).toEqual(["one", "two", "three"]);
  });

  it("gives nothing for a log that does not exist", async () => {
    expect(await readLastLines("/nonexistent/log", 0, 5)).toEqual([]);
    expect(await logLength("/nonexistent/log")).toBe(0);
  });
});

describe("trimLog", () => {
  it("empties a long log in place, so that the writer goes on at its start", async () => {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "log");
    const writer = await open(path, "a");
    await writer.write("a long line of text\n");
    await trimLog(path, 10);
    await writer.write("next\n");
    await writer.close();
    expect(await readFile(path, "utf8")).toBe("next\n");
    expect(await readFile(`${path}.1`, "utf8")).toBe("a long line of text\n");
  });

  it("leaves a short log alone", async () => {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "log");
    await writeFile(path, "short\n");
    await trimLog(path, 10);
    expect(await readFile(path, "utf8")).toBe("short\n");
  });
});
