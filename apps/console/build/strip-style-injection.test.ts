import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { stripStyleInjection } from "./strip-style-injection.ts";

const SONNER = fileURLToPath(import.meta.resolve("sonner"));

describe("stripStyleInjection", () => {
  it("removes the style sheet from the installed toast library, and nothing else", async () => {
    const source = await readFile(SONNER, "utf8");
    const stripped = stripStyleInjection(source);

    expect(source).toContain("[data-sonner-toaster]{position:fixed");
    expect(stripped).not.toContain("[data-sonner-toaster]{position:fixed");
    const removed = source.split("\n").filter((line) => !stripped.split("\n").includes(line));
    expect(removed.map((line) => line.slice(0, 12))).toEqual(["__insertCSS("]);
  });

  it("fails the build for a version that injects differently", () => {
    expect(() => stripStyleInjection("addStyles(sheet);")).toThrow("in another way");
  });

  it("imports the same rules as a style sheet", async () => {
    const sheet = await readFile(new URL("./styles.css", `file://${SONNER}`), "utf8");
    const injected = /__insertCSS\("(.*)"\)/.exec(await readFile(SONNER, "utf8"))?.[1] ?? "";
    const selectorsOf = (css: string) =>
      new Set([...css.matchAll(/data-[\w-]+|sonner-[\w-]+/g)].map(([name]) => name));

    expect(selectorsOf(sheet)).toEqual(selectorsOf(injected));
  });
});
