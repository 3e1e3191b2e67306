import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type ConfigurationSchema,
  renderConfigurationTables,
  renderEnvironmentTable,
} from "./docs/configuration-tables.ts";

const SCHEMA_SOURCE = "apps/server/src/config-schema.ts";
const ENVIRONMENT_SOURCE = "apps/server/src/config.ts";
const PAGE = "docs/configuration.md";
const EDITOR_SCHEMA = "docs/turnpike.schema.json";
const COMMAND = "node tools/write-configuration-docs.ts";

type Generated = { tables: Record<"values" | "environment", string>; editorSchema: string };

async function importFrom<Module>(root: string, path: string): Promise<Module> {
  return await import(pathToFileURL(join(root, path)).href);
}

async function generate(root: string): Promise<Generated> {
  const { configFile } = await importFrom<{
    configFile: { toJSONSchema(options: { io: "input" }): ConfigurationSchema };
  }>(root, SCHEMA_SOURCE);
  const { ENVIRONMENT } = await importFrom<{ ENVIRONMENT: Record<string, string> }>(
    root,
    ENVIRONMENT_SOURCE,
  );
  const schema = configFile.toJSONSchema({ io: "input" });
  return {
    tables: {
      values: renderConfigurationTables(schema),
      environment: renderEnvironmentTable(ENVIRONMENT),
    },
    editorSchema: `${JSON.stringify({ title: "turnpike.yaml", ...schema }, null, 2)}\n`,
  };
}

function markersOf(name: string): { begin: string; end: string } {
  return { begin: `<!-- generated:${name} -->`, end: `<!-- /generated:${name} -->` };
}

/** @throws {Error} when a pair of markers is missing. */
function withTables(page: string, tables: Generated["tables"]): string {
  let text = page;
  for (const [name, table] of Object.entries(tables)) {
    const { begin, end } = markersOf(name);
    const from = text.indexOf(begin);
    const to = text.indexOf(end);
    if (from === -1 || to < from) {
      throw new Error(`lacks the markers ${begin} and ${end}`);
    }
    text = `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`;
  }
  return text;
}

/** Writes the tables of `docs/configuration.md`, between its markers, and the JSON schema for editors. */
export async function updateConfigurationDocs(root: string): Promise<void> {
  const { tables, editorSchema } = await generate(root);
  const path = join(root, PAGE);
  writeFileSync(path, withTables(readFileSync(path, "utf8"), tables));
  writeFileSync(join(root, EDITOR_SCHEMA), editorSchema);
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Says how to fix the pages about the configuration when they are missing or older than its schema. */
export async function findConfigurationDocsProblems(root: string): Promise<string[]> {
  if (!existsSync(join(root, SCHEMA_SOURCE))) {
    return [];
  }
  const { tables, editorSchema } = await generate(root);
  const page = readIfThere(join(root, PAGE));
  const problems: string[] = [];
  if (page === undefined) {
    problems.push(`${PAGE} is missing`);
  } else {
    try {
      if (withTables(page, tables) !== page) {
        problems.push(`${PAGE} is older than ${SCHEMA_SOURCE}: run ${COMMAND}`);
      }
    } catch (error) {
      problems.push(`${PAGE} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (readIfThere(join(root, EDITOR_SCHEMA)) !== editorSchema) {
    problems.push(`${EDITOR_SCHEMA} is older than ${SCHEMA_SOURCE}: run ${COMMAND}`);
  }
  return problems;
}

if (import.meta.main) {
  await updateConfigurationDocs(resolve(import.meta.dirname, ".."));
}
