import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Pages whose citations are checked, and the source whose comments cite pages. */
const PAGES = ["*.md", "docs/**/*.md", "{apps,packages,examples}/**/README.md"];
const SOURCES = "{apps,packages}/*/src/**/*.{ts,tsx,sql}";

const FENCED_BLOCK = /^```.*?^```/gms;
const LINK = /\]\((?<target>[^)\s]+)\)/g;
const CODE_SPAN = /`(?<span>[^`\n]+)`/g;
const PAGE_IN_COMMENT = /\bdocs\/[\w/-]+[.]md\b/g;
const NPM_SCRIPT = /\bnpm (?:run )?(?<script>(?<=run )[\w:-]+|start|test)/g;

/** A code span is taken for a path of this repository when it starts with one of its folders or with a dot segment. */
const REPOSITORY_PATH =
  /^(?:(?:apps|packages|docs|tools|e2e|bench|examples|[.]ci)\/|[.]{1,2}\/)[^\s()]*$/;
/** Made by a build or an install, so a fresh clone has none of them. */
const GENERATED = /(?:^|\/)(?:dist|node_modules|[.]turnpike)(?:\/|$)/;
/** `docs/errors/<code>.md`, `NNNN_verb_noun.sql`, `{a,b}`, `…`: a pattern, which must match at least one file. */
const PLACEHOLDER = /<[^>]+>|NNNN|…|[{][^}]+[}]/g;

/**
 * Lists the paths and `npm run` scripts that the pages and comments of `root` cite and that do not exist.
 *
 * @returns One sentence for each, starting with the citing file; empty when everything cited is there.
 */
export function findBrokenCitations(root: string): string[] {
  return [...findInPages(root), ...findInSources(root)];
}

function findInPages(root: string): string[] {
  const scripts = readScripts(root);
  return listFiles(root, PAGES).flatMap((page) => {
    const markdown = readFileSync(join(root, page), "utf8");
    const prose = markdown.replaceAll(FENCED_BLOCK, "");
    const paths = [...citedByLinks(prose, page), ...citedByCode(prose, page)];
    const missingPaths = [...new Set(paths)].filter((path) => !exists(root, path));
    const missingScripts = [...markdown.matchAll(NPM_SCRIPT)]
      .map((match) => match.groups?.["script"] ?? "")
      .filter((script) => !scripts.has(script));
    return [
      ...missingPaths.map((path) => `${page} cites ${path}, which does not exist`),
      ...missingScripts.map(
        (script) => `${page} cites the script "${script}", not in package.json`,
      ),
    ];
  });
}

function findInSources(root: string): string[] {
  return listFiles(root, [SOURCES]).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(PAGE_IN_COMMENT)]
      .map(([path]) => path)
      .filter((path) => !exists(root, path))
      .map((path) => `${file} cites ${path}, which does not exist`),
  );
}

/** Relative links, as paths from the root; addresses elsewhere and anchors on the same page are left out. */
function citedByLinks(prose: string, page: string): string[] {
  return [...prose.matchAll(LINK)]
    .map((match) => (match.groups?.["target"] ?? "").split("#")[0] ?? "")
    .filter((target) => target !== "" && !/^(?:[a-z][a-z+.-]*:|\/)/.test(target))
    .map((target) => normalize(join(dirname(page), target)));
}

function citedByCode(prose: string, page: string): string[] {
  return [...prose.matchAll(CODE_SPAN)]
    .map((match) => match.groups?.["span"] ?? "")
    .filter((span) => REPOSITORY_PATH.test(span))
    .map((span) =>
      span.startsWith(".") && !span.startsWith(".ci/") ? join(dirname(page), span) : span,
    );
}

function exists(root: string, path: string): boolean {
  const pattern = path.replaceAll(PLACEHOLDER, "*");
  if (GENERATED.test(path)) {
    return true;
  }
  return pattern.includes("*")
    ? globSync(pattern, { cwd: root }).length > 0
    : existsSync(join(root, path));
}

function listFiles(root: string, patterns: readonly string[]): string[] {
  const exclude = (path: string) => /(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(path);
  return globSync(patterns, { cwd: root, exclude }).filter((path) => !path.includes(".test."));
}

function readScripts(root: string): Set<string> {
  const manifest: { scripts?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return new Set(Object.keys(manifest.scripts ?? {}));
}
