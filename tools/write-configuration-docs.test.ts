import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../apps/server/src/config.ts";
import { renderConfigurationTables } from "./docs/configuration-tables.ts";
import { REPOSITORY_ROOT } from "./planted-tree.ts";
import {
  findConfigurationDocsProblems,
  updateConfigurationDocs,
} from "./write-configuration-docs.ts";

const STALE =
  "is older than apps/server/src/config-schema.ts: run node tools/write-configuration-docs.ts";

describe("the pages about the configuration", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "turnpike-configuration-"));
    cpSync(join(REPOSITORY_ROOT, "docs/configuration.md"), join(root, "docs/configuration.md"), {
      recursive: true,
    });
    cpSync(
      join(REPOSITORY_ROOT, "docs/turnpike.schema.json"),
      join(root, "docs/turnpike.schema.json"),
    );
    // Stands in for the sources, which are imported by path: the real ones, by their real place.
    for (const name of ["config-schema", "config"]) {
      const source = join(REPOSITORY_ROOT, `apps/server/src/${name}.ts`);
      cpSync(source, join(root, `apps/server/src/${name}.ts`), { recursive: true });
      writeFileSync(join(root, `apps/server/src/${name}.ts`), `export * from "${source}";\n`);
    }
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function change(file: string, from: string, to: string): void {
    const path = join(root, file);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
  }

  it("agree with the schema of this repository", async () => {
    expect(await findConfigurationDocsProblems(root)).toEqual([]);
  });

  it("are found stale when a default differs, and fixed by the command", async () => {
    change("docs/configuration.md", "`5000`", "`6000`");
    change("docs/turnpike.schema.json", "5000", "6000");
    expect(await findConfigurationDocsProblems(root)).toEqual([
      `docs/configuration.md ${STALE}`,
      `docs/turnpike.schema.json ${STALE}`,
    ]);
    await updateConfigurationDocs(root);
    expect(await findConfigurationDocsProblems(root)).toEqual([]);
  });

  it("are found broken without their markers", async () => {
    change("docs/configuration.md", "<!-- generated:values -->", "");
    expect(await findConfigurationDocsProblems(root)).toEqual([
      "docs/configuration.md lacks the markers <!-- generated:values --> and <!-- /generated:values -->",
    ]);
  });
});

/** The text of the fenced block of `language` with this number on the page, from 0. */
function fencedBlock(language: string, index: number): string {
  const page = readFileSync(join(REPOSITORY_ROOT, "docs/configuration.md"), "utf8");
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].filter(
    ([, lang]) => lang === language,
  );
  return blocks[index]?.[2] ?? "";
}

describe("what the page on the configuration says", () => {
  function read(text: string) {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-example-"));
    try {
      writeFileSync(join(folder, "turnpike.yaml"), text);
      return readConfig({}, { isRoot: false, workingFolder: folder });
    } catch (error) {
      return String(error).replaceAll(folder, "/srv/turnpike");
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it("has an example that is valid", () => {
    expect(read(fencedBlock("yaml", 0))).toMatchObject({
      brand: { name: "Acme Maps" },
      upstreams: [{ name: "maps", timeouts: { connectMs: 5000, headersMs: 10_000 } }],
    });
  });

  it("shows mistakes as they are reported", () => {
    const mistakes = read(
      "upstreams:\n  - { name: maps, url: http://127.0.0.1:8080,\n      stripprefix: true }\n\n\n\n\nmetering:\n  groupIntervalMs: 2000\n",
    );
    for (const line of fencedBlock("text", 0).split("\n").slice(1, 3)) {
      expect(mistakes).toContain(line);
    }
  });
});

describe("renderConfigurationTables", () => {
  it("refuses a value without a description", () => {
    const schema = { properties: { log: { properties: { level: { type: "string" } } } } };
    expect(() => renderConfigurationTables(schema)).toThrow("No description: log.level");
  });

  it("shows type, bounds, default and what is required, also inside of lists", () => {
    const schema = {
      properties: {
        upstreams: {
          type: "array",
          maxItems: 9,
          description: "APIs.",
          items: {
            required: ["url"],
            properties: {
              url: { type: "string", description: "Where." },
              waitMs: {
                type: "integer",
                minimum: 1,
                maximum: 5000,
                default: 20,
                description: "How long.",
              },
            },
          },
        },
      },
    };
    expect(renderConfigurationTables(schema).split("\n").slice(4)).toEqual([
      "| `upstreams` | list, at most 9 entries |  | APIs. |",
      "| `upstreams[].url` | text | required | Where. |",
      "| `upstreams[].waitMs` | whole number, 1 to 5,000 | `20` | How long. |",
    ]);
  });
});
