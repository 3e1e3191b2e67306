import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CruisedModule, cruise } from "./cruise.ts";

const PAGE = "docs/architecture.md";
const BEGIN = "<!-- generated:architecture -->";
const END = "<!-- /generated:architecture -->";

/** Which box of the picture a file is in: the first pattern that matches; tests and test tools are in none. */
const BOXES = [
  [/[.]test[.]tsx?$|^packages\/testkit\//, undefined],
  [/^apps\/server\/src\/modules\/([^/]+)\//, "modules"],
  [/^apps\/server\/src\/(http|platform)\//, "server"],
  [/^apps\/server\/src\/()/, "server"],
  [/^apps\/(console)\/src\//, "browser"],
  [/^packages\/(ui)\/src\//, "browser"],
  [/^packages\/(domain|contract|db)\/src\//, "packages"],
] as const;

const GROUP_TITLES = {
  browser: "browser",
  server: "apps/server",
  modules: "modules",
  packages: "packages",
} as const;

type Group = keyof typeof GROUP_TITLES;
type Box = { group: Group; name: string };
type Graph = { boxes: Map<string, Box>; edges: Map<string, Set<string>> };

/**
 * Draws who imports whom as a Mermaid flowchart, from the same reading of the source that checks the one-way rule. An
 * arrow that a longer way already implies is left out, so that the order of the layers stays visible.
 *
 * @param root - The checkout.
 * @returns The chart's text without a fence, the same for the same source.
 */
export async function drawArchitecture(root: string): Promise<string> {
  const { modules } = await cruise({ root, folders: ["apps", "packages"] });
  return toMermaid(withoutImpliedEdges(toGraph(modules)));
}

/** Draws the picture of `docs/architecture.md` anew, between its markers; the prose around it stays as it is. */
export async function updateDrawing(root: string): Promise<void> {
  const path = join(root, PAGE);
  writeFileSync(path, withDrawing(readFileSync(path, "utf8"), await drawArchitecture(root)));
}

/** Says how to fix `docs/architecture.md` when its picture is missing or older than the source. */
export async function findDrawingProblems(root: string): Promise<string[]> {
  const path = join(root, PAGE);
  if (!existsSync(path)) {
    return [`${PAGE} is missing`];
  }
  const page = readFileSync(path, "utf8");
  if (!(page.includes(BEGIN) && page.includes(END))) {
    return [`${PAGE} lacks the markers ${BEGIN} and ${END}`];
  }
  return page === withDrawing(page, await drawArchitecture(root))
    ? []
    : [`${PAGE} has an old picture: run node tools/draw-architecture.ts`];
}

function withDrawing(page: string, drawing: string): string {
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  const end = page.indexOf(END, begin);
  return `${page.slice(0, begin)}\n\n\`\`\`mermaid\n${drawing}\n\`\`\`\n\n${page.slice(end)}`;
}

function toBox(path: string): Box | undefined {
  for (const [pattern, group] of BOXES) {
    const match = pattern.exec(path);
    if (match !== null) {
      return group === undefined ? undefined : { group, name: match[1] || "main, app, deps" };
    }
  }
  return undefined;
}

function toGraph(modules: readonly CruisedModule[]): Graph {
  const graph: Graph = { boxes: new Map(), edges: new Map() };
  for (const { source, dependencies } of modules) {
    const from = toBox(source);
    if (from !== undefined) {
      graph.boxes.set(from.name, from);
      const targets = graph.edges.get(from.name) ?? new Set();
      graph.edges.set(from.name, targets);
      for (const { resolved } of dependencies) {
        const to = toBox(resolved);
        if (to !== undefined && to.name !== from.name) {
          targets.add(to.name);
        }
      }
    }
  }
  return graph;
}

function withoutImpliedEdges({ boxes, edges }: Graph): Graph {
  const isImplied = (from: string, to: string) =>
    [...(edges.get(from) ?? [])].some((next) => next !== to && reaches({ edges, from: next, to }));
  const kept = [...edges].map(
    ([from, targets]) =>
      [from, new Set([...targets].filter((to) => !isImplied(from, to)))] as const,
  );
  return { boxes, edges: new Map(kept) };
}

function reaches({
  edges,
  from,
  to,
}: {
  edges: Graph["edges"];
  from: string;
  to: string;
}): boolean {
  const seen = new Set<string>();
  const waiting = [from];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === to) {
      return true;
    }
    if (!seen.has(name)) {
      seen.add(name);
      waiting.push(...(edges.get(name) ?? []));
    }
  }
  return false;
}

function toMermaid({ boxes, edges }: Graph): string {
  const names = [...boxes.keys()].sort();
  const ids = new Map(names.map((name) => [name, `box_${name.replaceAll(/\W+/g, "_")}`]));
  const groups = Object.entries(GROUP_TITLES).map(([group, title]) => {
    const members = names.filter((name) => boxes.get(name)?.group === group);
    const lines = members.map((name) => `    ${ids.get(name)}["${name}"]`);
    return members.length === 0 ? [] : [`  subgraph ${group}["${title}"]`, ...lines, "  end"];
  });
  const arrows = names.flatMap((from) =>
    [...(edges.get(from) ?? [])].sort().map((to) => `  ${ids.get(from)} --> ${ids.get(to)}`),
  );
  return ["flowchart TB", ...groups.flat(), ...arrows].join("\n");
}

if (import.meta.main) {
  await updateDrawing(resolve(import.meta.dirname, ".."));
}
