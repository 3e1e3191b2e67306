import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { StartupError } from "#platform/startup-error.ts";
import { readConfig } from "./config.ts";

/** Reads configurations from a folder of their own, which is removed after the tests. */
export function stageConfigs() {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-config-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  let files = 0;
  function writeConfig(text: string): string {
    files += 1;
    const path = join(folder, `config-${String(files)}.yaml`);
    writeFileSync(path, text);
    return path;
  }

  function read(text: string | undefined, env: Record<string, string> = {}) {
    const named = text === undefined ? {} : { TURNPIKE_CONFIG: writeConfig(text) };
    return readConfig({ ...named, ...env }, { isRoot: false, workingFolder: folder });
  }

  /** The mistakes as `line: message`, or `VARIABLE: message`, without the path of the file. */
  function mistakesOf(text: string | undefined, env: Record<string, string> = {}): string[] {
    try {
      read(text, env);
    } catch (error) {
      if (!(error instanceof StartupError) || error.code !== "CONFIG_INVALID") {
        throw error;
      }
      return error.message
        .split("\n")
        .filter((line) => line.startsWith("  "))
        .map((line) =>
          line
            .trim()
            .replace(/^\S+\.yaml(?::(\d+))?\s+/, "$1: ")
            .replace(/^([A-Z_]+)\s+/, "$1: "),
        );
    }
    return [];
  }

  return { folder, writeConfig, read, mistakesOf };
}
