import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { catalogInput } from "@turnpike/contract/catalog";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import type { z } from "zod";
import { readImportMap } from "./cli/history/import-map.ts";
import { configFile } from "./config-schema.ts";
import { OPERATIONS } from "./good-requests.fixture.ts";
import { RAW_OPERATIONS } from "./http/openapi/raw-operations/raw-operations.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const FENCE = /^ *```(?<language>[a-z]+)(?: (?<note>[^\n]+))?\n(?<body>.*?)^ *```/gms;
/** Where pages say that the API listens: the console's address, or the one of an example. */
const API = /^(?:http:\/\/localhost:3000|https:\/\/[\w.]+\.example\.com|\$CONSOLE|\$TURNPIKE_URL)/;

type Snippet = { at: string; language: string; note: string; text: string };

function readSnippets(page: string): Snippet[] {
  const markdown = readFileSync(join(ROOT, page), "utf8");
  return [...markdown.matchAll(FENCE)].map(({ index, groups = {} }) => ({
    at: `${page}:${String(markdown.slice(0, index).split("\n").length)}`,
    language: groups["language"] ?? "",
    note: groups["note"] ?? "",
    text: groups["body"] ?? "",
  }));
}

const PAGES = ["README.md", ...globSync(["docs/*.md", "examples/*/README.md"], { cwd: ROOT })];
const SNIPPETS = PAGES.flatMap(readSnippets);

function snippetsIn(language: string): Snippet[] {
  return SNIPPETS.filter((snippet) => snippet.language === language);
}

function problemsOf(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(
    ({ path, message }) => `${path.map(String).join(".")}: ${message}`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of other programs: what it names of ours is looked for, the rest is theirs. */
const FOREIGN = ["http", "use_remote_address", "services"];
/** Some upstream, for pages that show only what belongs to one. */
const UPSTREAM = { name: "models", url: "http://127.0.0.1:8000" };

async function findYamlProblems(text: string): Promise<string[]> {
  const value: unknown = parseYaml(text);
  if (!isObject(value)) {
    return ["is no map"];
  }
  const names = Object.keys(value);
  if (names.some((name) => FOREIGN.includes(name))) {
    const paths = [...text.matchAll(/\/v1\/authorize\/(\w+)/g)].map(([, proxy = ""]) => proxy);
    return paths
      .filter((proxy) => !["nginx", "caddy", "traefik", "envoy"].includes(proxy))
      .map((proxy) => `asks for ${proxy}`);
  }
  if (names.every((name) => name in configFile.shape)) {
    return problemsOf(configFile, value);
  }
  if ("rules" in value) {
    await using folder = await makeTempFolder();
    const path = join(folder.path, "map.yaml");
    await writeFile(path, text);
    return await readImportMap(path).then(
      () => [],
      (error: unknown) => [String(error)],
    );
  }
  if ("tokens" in value) {
    return problemsOf(configFile, { upstreams: [{ ...UPSTREAM, ...value }] });
  }
  if (Array.isArray(value["meters"]) && value["meters"].some((meter) => "counts" in meter)) {
    const tokens = { protocol: "openai", ...value };
    return problemsOf(configFile, { upstreams: [{ ...UPSTREAM, tokens }] });
  }
  return problemsOf(catalogInput, value);
}

type Call = { method: string; path: string; query: Record<string, string>; body: string };

/** The words of a command as a shell splits them; variables stay as they are written. */
function splitWords(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"/g, (_, single, double) => single ?? double),
  );
}

/** What `curl` would send; undefined when it calls something other than the API. */
function readCurl(command: string): Call | undefined {
  const words = splitWords(command);
  const optionsOf = (...names: string[]) =>
    words.flatMap((word, index) =>
      names.includes(words[index - 1] ?? "") && word !== "" ? [word] : [],
    );
  const address = words.find((word) => API.test(word));
  if (address === undefined) {
    return;
  }
  const [path = "", search = ""] = address.replace(API, "").split("?");
  const data = optionsOf("-d", "--data-binary", "--data");
  const isQuery = words.includes("-G");
  const sent = isQuery ? [...data, search].join("&") : search;
  return {
    method: optionsOf("-X")[0] ?? (data.length > 0 && !isQuery ? "POST" : "GET"),
    path: path.replace(/^\/v1/, ""),
    query: Object.fromEntries(new URLSearchParams(sent)),
    body: isQuery ? "" : (data[0] ?? ""),
  };
}

function fits(template: string, path: string): boolean {
  const steps = template.split("/");
  const given = path.split("/");
  return (
    steps.length === given.length &&
    steps.every((step, index) => /^\{/.test(step) || step === given[index])
  );
}

/** Only what the call says is judged: ids of the path are the reader's. */
function findInputProblems(input: z.ZodType, given: Record<string, unknown>): string[] {
  return (input.safeParse(given).error?.issues ?? [])
    .filter(({ code, path }) => code === "unrecognized_keys" || String(path[0]) in given)
    .map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
}

function findCallProblems({ method, path, query, body }: Call): string[] {
  const operation = OPERATIONS.find((known) => known.method === method && fits(known.path, path));
  if (operation === undefined) {
    const isRaw = RAW_OPERATIONS.some(
      (known) => known.method.toUpperCase() === method && fits(known.path, path),
    );
    return isRaw ? [] : [`there is no ${method} ${path}`];
  }
  const isFile = body.startsWith("@");
  const fields: unknown = body === "" || isFile ? {} : JSON.parse(body);
  return isObject(fields)
    ? findInputProblems(operation.input, { ...query, ...fields })
    : ["the body is no object"];
}

/** Commands of a block: lines that end inside of quotes, or with a backslash, go on. */
function splitCommands(text: string): string[] {
  return (
    text
      .replaceAll(/\\\n\s*/g, " ")
      .replaceAll(/^#.*$/gm, "")
      .match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\n'"])+/g) ?? []
  );
}

describe("the snippets of the pages", () => {
  it("in YAML are configurations, catalogues and rules that the product takes", async () => {
    const snippets = snippetsIn("yaml");
    expect(snippets.length).toBeGreaterThan(20);
    const problems = await Promise.all(
      snippets.map(async ({ at, text }) =>
        (await findYamlProblems(text)).map((problem) => `${at} ${problem}`),
      ),
    );
    expect(problems.flat()).toEqual([]);
  });

  it("with curl call operations that exist, with bodies and parameters that those take", () => {
    const calls = snippetsIn("sh").flatMap(({ at, text }) =>
      splitCommands(text)
        .filter((command) => command.includes("curl "))
        .flatMap((command) => {
          const call = readCurl(command);
          return call === undefined ? [] : [{ at, call }];
        }),
    );
    expect(calls.length).toBeGreaterThan(12);
    expect(
      calls.flatMap(({ at, call }) => findCallProblems(call).map((problem) => `${at} ${problem}`)),
    ).toEqual([]);
  });

  it("in JSON can be read, and those for an operation are what it takes", () => {
    const snippets = snippetsIn("json");
    const bodies = snippets.filter(({ note }) => note !== "");
    expect(bodies.length).toBeGreaterThan(3);
    const problems = snippets.flatMap(({ at, note, text }) => {
      const fields = JSON.parse(text) as unknown;
      const [method = "", path = ""] = note.split(" ");
      const found = note === "" ? [] : findCallProblems({ method, path, query: {}, body: text });
      return isObject(fields) ? found.map((problem) => `${at} ${problem}`) : [`${at} is no object`];
    });
    expect(problems).toEqual([]);
  });
});
