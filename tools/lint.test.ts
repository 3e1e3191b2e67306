import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { plantTree, REPOSITORY_ROOT } from "./planted-tree.ts";

const KEYS = "apps/server/src/modules/keys";
const CONSOLE = "apps/console/src";
const PLATFORM = "apps/server/src/platform";

const HIDDEN_TIME = "Take the clock or id source as an argument";
const DOUBLE_CAST = "A double cast hides a missing parse";
const OUTBOUND = "Calls to the outside go through one client";
const TENANT_SETTING = "Roles and the tenant setting are set in one place";
const SQL = "SQL lives in *.store.ts files";

const TX =
  "declare const tx: (s: TemplateStringsArray, ...v: unknown[]) => Promise<{ id: string }[]>;\n";

/** One mistake each: the rule, or the words of our own rule, that must be reported for the file. */
const PLANTED = [
  ["noExplicitAny", `${KEYS}/any.ts`, "export const value: any = 1;"],
  ["noTsIgnore", `${KEYS}/ignore.ts`, "// @ts-ignore\nexport const value = 1;"],
  ["noNonNullAssertion", `${KEYS}/bang.ts`, "export const one = (xs: string[]) => xs[0]!.length;"],
  ["noProcessEnv", `${KEYS}/environment.ts`, 'export const home = process.env["HOME"];'],
  ["noConsole", `${KEYS}/console.ts`, 'console.log("hello");'],
  ["noDefaultExport", `${KEYS}/default.ts`, "export default 1;"],
  ["noEnum", `${KEYS}/enum.ts`, "export enum Color {\n  Red,\n}"],
  ["noReExportAll", `${KEYS}/index.ts`, 'export * from "./any.ts";'],
  ["noBarrelFile", `${PLATFORM}/index.ts`, 'export { value } from "../modules/keys/any.ts";'],
  ["useImportExtensions", `${KEYS}/extension.ts`, 'import "./any";'],
  ["useNodejsImportProtocol", `${PLATFORM}/protocol.ts`, 'import "fs";'],
  ["noUndeclaredDependencies", `${CONSOLE}/undeclared.ts`, 'import "zod";'],
  ["useFilenamingConvention", `${KEYS}/CreateKey.ts`, "export const value = 1;"],
  ["useThrowOnlyError", `${KEYS}/throw.ts`, 'export const fail = () => {\n  throw "no";\n};'],
  [
    "noFloatingPromises",
    `${KEYS}/floating.ts`,
    "const wait = async (): Promise<void> => await Promise.resolve();\nexport const go = () => {\n  wait();\n};",
  ],
  [
    "noMisusedPromises",
    `${KEYS}/misused.ts`,
    "const wait = async (): Promise<boolean> => await Promise.resolve(true);\nexport const go = () => {\n  if (wait()) {\n    return 1;\n  }\n  return 2;\n};",
  ],
  [
    "useExhaustiveSwitchCases",
    `${KEYS}/switch.ts`,
    'export function rank(side: "a" | "b"): number {\n  switch (side) {\n    case "a":\n      return 1;\n  }\n  return 0;\n}',
  ],
  [
    "useExhaustiveDependencies",
    `${CONSOLE}/title.tsx`,
    'import { useEffect } from "react";\nexport function Title({ id }: { id: string }) {\n  useEffect(() => {\n    document.title = id;\n  }, []);\n  return null;\n}',
  ],
  ["noSkippedTests", `${KEYS}/skipped.test.ts`, 'it.skip("waits", () => expect(1).toBe(1));'],
  ["noFocusedTests", `${KEYS}/focused.test.ts`, 'it.only("hogs", () => expect(1).toBe(1));'],
  [HIDDEN_TIME, "packages/domain/src/keys/time.ts", "export const at = () => Date.now();"],
  [HIDDEN_TIME, `${KEYS}/time.ts`, "export const at = () => new Date();"],
  [HIDDEN_TIME, `${KEYS}/chance.ts`, "export const id = () => crypto.randomUUID();"],
  [DOUBLE_CAST, `${KEYS}/cast.ts`, "export const text = 1 as unknown as string;"],
  [OUTBOUND, `${KEYS}/fetch.ts`, 'export const get = () => fetch("http://x");'],
  [OUTBOUND, `${PLATFORM}/fetch.ts`, 'export const get = () => globalThis.fetch("http://x");'],
  [OUTBOUND, `${CONSOLE}/features/fetch.ts`, 'export const get = () => fetch("/v1/keys");'],
  [
    OUTBOUND,
    `${PLATFORM}/request.ts`,
    'import http from "node:http";\nexport const get = () => http.request("http://x");',
  ],
  [TENANT_SETTING, `${KEYS}/role.store.ts`, `${TX}export const go = () => tx\`set local role x\`;`],
  [
    TENANT_SETTING,
    `${KEYS}/setting.store.ts`,
    `${TX}export const go = (id: string) => tx\`select 1, set_config('app.tenant', \${id}, true)\`;`,
  ],
  [
    TENANT_SETTING,
    "packages/testkit/src/role.ts",
    'export const statement = "SET SESSION ROLE turnpike_operator";',
  ],
  [SQL, `${KEYS}/use-case.ts`, `${TX}export const go = () => tx\`\n    select id from keys\`;`],
  [
    SQL,
    `${KEYS}/keys.routes.ts`,
    `${TX}export const go = (id: string) => tx\`delete from keys where id = \${id}\`;`,
  ],
] as const;

/** The same shapes where they belong: the allow-lists of our own rules. */
const ALLOWED = {
  [`${PLATFORM}/outbound.ts`]: 'export const get = () => fetch("http://x");\n',
  [`${PLATFORM}/transact.ts`]: `${TX}export const go = () => tx\`set local role turnpike_tenant\`;\n`,
  [`${PLATFORM}/clock.ts`]: "export const now = () => new Date();\n",
  [`${CONSOLE}/platform/api-client.ts`]: 'export const get = () => fetch("/v1/keys");\n',
  [`${KEYS}/keys.store.ts`]: `${TX}export const go = () => tx\`select id from keys\`;\n`,
  [`${KEYS}/words.ts`]: `export const label = (plan: string) => \`Select the plan \${plan}\`;\n`,
  [`${KEYS}/clock.test.ts`]: "export const now = () => new Date();\n",
  "packages/db/src/roles.ts": 'export const statement = "set local role turnpike_tenant";\n',
};

type Diagnostic = { category: string; message: string; path: string };
type LintReport = {
  diagnostics: { category: string; message: string; location: { path: string } }[];
};

async function lintTree(files: Readonly<Record<string, string>>): Promise<Diagnostic[]> {
  const tree = await plantTree(files);
  try {
    const report = await lint(tree.root);
    return report.diagnostics.map(({ category, message, location }) => ({
      category,
      message,
      path: location.path,
    }));
  } finally {
    await tree.remove();
  }
}

/** Biome exits with 1 when it has something to report, which is what these tests are for. */
function lint(root: string): Promise<LintReport> {
  const biome = join(REPOSITORY_ROOT, "node_modules/@biomejs/biome/bin/biome");
  const options = ["lint", "--reporter=json", "--max-diagnostics=none", "apps", "packages"];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [biome, ...options],
      { cwd: root, timeout: 300_000 },
      (_exit, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout));
        } catch (cause) {
          reject(new Error(`Biome gave no report: ${stderr}`, { cause }));
        }
      },
    );
  });
}

describe("the lint rules", () => {
  let planted: Diagnostic[];

  beforeAll(async () => {
    const plants = PLANTED.map(([, path, text]) => [path, `${text}\n`]);
    planted = await lintTree({ ...Object.fromEntries(plants), ...ALLOWED });
  });

  it.each(PLANTED)("report %s in %s", (rule, path) => {
    const reported = planted
      .filter((diagnostic) => diagnostic.path === path)
      .map(({ category, message }) => `${category} ${message}`);
    expect(reported).toContainEqual(expect.stringContaining(rule));
  });

  it("accept time, queries, roles and calls to the outside in the files made for them", () => {
    expect(planted.filter(({ path }) => path in ALLOWED)).toEqual([]);
  });

  it("leave no rule file of tools/lint without a plant above", () => {
    const folder = join(REPOSITORY_ROOT, "tools/lint");
    const unproven = readdirSync(folder).filter((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      return !PLANTED.some(([rule]) => text.includes(`message="${rule}`));
    });
    expect(unproven).toEqual([]);
  });
});
