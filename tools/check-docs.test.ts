import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDocsProblems } from "./check-docs.ts";
import { drawArchitecture, updateDrawing } from "./draw-architecture.ts";
import { plantTree } from "./planted-tree.ts";

const ERROR_PAGE = "# RATE_LIMITED\n\n## What happened\n\nToo many.\n\n## What to do\n\nWait.\n";
const CODES = "packages/domain/src/errors/error-codes.ts";
const KEYS = "apps/server/src/modules/keys";

/** A checkout whose pages tell the truth, but for the picture, which is drawn by `plantPages`. */
const TRUE_PAGES = {
  [CODES]: "export const ERROR_CODES = { RATE_LIMITED: { status: 429 } } as const;\n",
  "docs/errors/rate-limited.md": ERROR_PAGE,
  "apps/server/src/config.ts":
    'export const ENVIRONMENT = { PORT: "for people", DATABASE_URL: "the database" } as const;\n',
  ".env.example": "PORT=3000\n# Another PostgreSQL than the built-in one.\n# DATABASE_URL=\n",
  [`${KEYS}/index.ts`]: 'export { createKey } from "./create-key.ts";\n',
  [`${KEYS}/create-key.ts`]:
    'import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";\nexport const createKey = ERROR_CODES;\n',
  [`${KEYS}/README.md`]: "# keys\n\nOwns keys; see `./create-key.ts`.\n",
  "README.md":
    "Run `npm test`. See [the codes](docs/errors/rate-limited.md#what-to-do), `docs/errors/<code>.md`, [us](https://example.com), `apps/console/dist`.\n",
};

const MARKERS = "<!-- generated:architecture -->\n<!-- /generated:architecture -->\n";

/** What the check says about the true pages after `changes` (path to text, or undefined to remove the file). */
async function problemsAfter(changes: Change): Promise<string[]> {
  const files = Object.entries({ ...TRUE_PAGES, ...changes });
  const kept = files.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const tree = await plantTree({ "docs/architecture.md": MARKERS, ...Object.fromEntries(kept) });
  try {
    return await findDocsProblems(tree.root);
  } finally {
    await tree.remove();
  }
}

const STALE = "docs/architecture.md has an old picture: run node tools/draw-architecture.ts";

type Change = Record<string, string | undefined>;

const MISTAKES: readonly (readonly [what: string, changes: Change, problem: string])[] = [
  [
    "a link that leads nowhere",
    { "docs/guide.md": "[x](../apps/lost.ts)" },
    "docs/guide.md cites apps/lost.ts, which does not exist",
  ],
  [
    "a path in code that is not there",
    { "AGENTS.md": "See `tools/lost.ts`." },
    "AGENTS.md cites tools/lost.ts, which does not exist",
  ],
  [
    "a pattern that matches no file",
    { "AGENTS.md": "`docs/decisions/NNNN-slug.md`" },
    "AGENTS.md cites docs/decisions/NNNN-slug.md, which does not exist",
  ],
  [
    "a module page that cites a lost neighbour",
    { [`${KEYS}/README.md`]: "`./lost.ts`" },
    `${KEYS}/README.md cites ${KEYS}/lost.ts, which does not exist`,
  ],
  [
    "a comment that cites a lost page",
    { [`${KEYS}/a.ts`]: "// docs/lost.md\n" },
    `${KEYS}/a.ts cites docs/lost.md, which does not exist`,
  ],
  [
    "a script that package.json lacks",
    { "AGENTS.md": "`npm run lost`" },
    'AGENTS.md cites the script "lost", not in package.json',
  ],
  [
    "an error code without a page",
    { "docs/errors/rate-limited.md": undefined, "README.md": "" },
    "docs/errors/rate-limited.md is missing: every error code has a page",
  ],
  [
    "an error page without its headings",
    { "docs/errors/rate-limited.md": "# RATE_LIMITED\n\n## What happened\n" },
    'docs/errors/rate-limited.md lacks the heading "## What to do"',
  ],
  [
    "an error page that names another code",
    { "docs/errors/rate-limited.md": ERROR_PAGE.replace("RATE_LIMITED", "REVOKED") },
    "docs/errors/rate-limited.md does not name its code RATE_LIMITED",
  ],
  [
    "an error page that no code leads to",
    { "docs/errors/lost.md": ERROR_PAGE },
    `docs/errors/lost.md belongs to no code of ${CODES}`,
  ],
  [
    "a module without a page",
    { [`${KEYS}/README.md`]: undefined },
    `${KEYS}/README.md is missing: every module says what it owns and does not own`,
  ],
  [
    "a module page of 61 lines",
    { [`${KEYS}/README.md`]: "line\n".repeat(61) },
    `${KEYS}/README.md has 61 lines, more than 60`,
  ],
  [
    "a point of the specification without a test",
    { "docs/specification.md": "| Point | Test |\n|---|---|\n| Guard | by hand |\n" },
    'docs/specification.md names no test for "Guard"',
  ],
  [
    "a point of the specification whose test is gone",
    {
      "docs/specification.md": "| Guard | `e2e/guard.spec.ts` · guards |\n",
      "e2e/guard.spec.ts": 'it("guards all", () => undefined);\n',
    },
    'docs/specification.md cites the test "guards", which e2e/guard.spec.ts does not have',
  ],
  [
    "a threat without a test",
    {
      "docs/security.md": "| Threat | Control | Shown by |\n|---|---|---|\n| Theft | A lock | |\n",
    },
    'docs/security.md names no test for "Theft"',
  ],
  [
    "a threat whose test is gone",
    { "docs/security.md": "| Theft | A lock | `e2e/theft.spec.ts` · is caught |\n" },
    "docs/security.md cites e2e/theft.spec.ts, which does not exist",
  ],
  [
    "a threat that gives no reason for having no test",
    { "docs/security.md": "| Theft | None | No test: later. |\n" },
    'docs/security.md names no test for "Theft"',
  ],
  [
    "a variable that .env.example lacks",
    { ".env.example": "PORT=3000\n" },
    ".env.example lacks DATABASE_URL",
  ],
  [
    "a variable that nothing reads",
    { ".env.example": "PORT=1\nDATABASE_URL=\nLOST=1\n" },
    ".env.example names LOST, which apps/server/src/config.ts does not read",
  ],
  [
    "a page without the markers of the picture",
    { "docs/architecture.md": "# Architecture\n" },
    "docs/architecture.md lacks the markers <!-- generated:architecture --> and <!-- /generated:architecture -->",
  ],
];

/** Mistakes that are made in one tree, because no two of them change the same file: a look at a tree takes a second. */
function toTrees(mistakes: typeof MISTAKES): (typeof MISTAKES)[number][][] {
  const trees: (typeof MISTAKES)[number][][] = [];
  for (const mistake of mistakes) {
    const isFree = (tree: (typeof MISTAKES)[number][]) =>
      !tree.some(([, changes]) => Object.keys(mistake[1]).some((file) => file in changes));
    const tree = trees.find(isFree);
    if (tree === undefined) {
      trees.push([mistake]);
    } else {
      tree.push(mistake);
    }
  }
  return trees;
}

describe("the docs check", () => {
  it("finds nothing to fix but the picture that was never drawn", async () => {
    expect(await problemsAfter({})).toEqual([STALE]);
  });

  it("finds every kind of mistake", async () => {
    const missed: string[] = [];
    for (const tree of toTrees(MISTAKES)) {
      const problems = await problemsAfter(
        Object.assign({}, ...tree.map(([, changes]) => changes)),
      );
      missed.push(
        ...tree.filter(([, , problem]) => !problems.includes(problem)).map(([what]) => what),
      );
    }
    expect(missed).toEqual([]);
  });
});

describe("the picture of the architecture", () => {
  it("shows one arrow for each layer, without those a longer way implies", async () => {
    const tree = await plantTree({
      ...TRUE_PAGES,
      "apps/server/src/app.ts":
        'import "#modules/keys/index.ts";\nimport "@turnpike/domain/errors/error-codes";\n',
    });
    try {
      const drawing = await drawArchitecture(tree.root);
      expect(drawing.split("\n").filter((line) => line.includes("-->"))).toEqual([
        "  box_keys --> box_domain",
        "  box_main_app_deps --> box_keys",
      ]);
    } finally {
      await tree.remove();
    }
  });

  it("is no longer stale once drawn, and drawing again changes nothing", async () => {
    const tree = await plantTree({
      ...TRUE_PAGES,
      "docs/architecture.md": `# A\n\n${MARKERS}\nEnd.\n`,
    });
    try {
      const page = join(tree.root, "docs/architecture.md");
      await updateDrawing(tree.root);
      const once = readFileSync(page, "utf8");
      expect(await findDocsProblems(tree.root)).toEqual([]);
      await updateDrawing(tree.root);
      expect(readFileSync(page, "utf8")).toBe(once);
      expect(once).toMatch(/^# A\n.*box_keys --> box_domain.*\nEnd[.]\n$/s);
    } finally {
      await tree.remove();
    }
  });
});
