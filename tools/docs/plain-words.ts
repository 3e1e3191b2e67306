import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PROSE = [
  "*.md",
  "docs/**/*.md",
  "{apps,packages,examples,e2e,bench,tools}/**/*.{ts,tsx,mjs,sql,md}",
];
const NOT_PROSE =
  /(?:^|\/)(?:node_modules|dist|dist-server|[.]turnpike)(?:\/|$)|routeTree[.]gen[.]ts$|^packages\/db\/migrations\//;
/** The check names the phrases in order to find them, and one of them is a common password. */
const NAME_PHRASES = new Set([
  "tools/docs/plain-words.ts",
  "tools/docs/plain-words.test.ts",
  "packages/domain/src/text/common-words.ts",
]);

type Rule = { phrase: RegExp; instead: string };

/** Phrases that a native reader stumbles over. Each was common in this repository once. */
const RULES: readonly Rule[] = [
  { phrase: /\bwho(?:m)?ever\b/i, instead: "name the subject, or write “anyone who”" },
  {
    phrase: /\bwh(?:at|ich)ever\b/i,
    instead: "write “all that”, “any” or “also when”, or name the case that surprises",
  },
  {
    phrase: /(?<!["`])\b[Nn]obody\b|\b[Nn]obody\b(?!["`])/,
    instead: "write “no one”, or name what does not happen",
  },
  { phrase: /\bsomebody\b/i, instead: "write “someone”, or name the subject" },
  { phrase: /\b(?:is|are|was|were|be|been|being) told\b/i, instead: "say who gets which message" },
  { phrase: /\bwhat (?:became|becomes) of\b/i, instead: "name the outcome" },
  {
    phrase: /\bhouse-?keep(?:ing|s)?\b|\bkeeps? (?:the )?house\b/i,
    instead: "name what is deleted",
  },
  { phrase: /\bat the (?:most|least)\b/i, instead: "write “at most” or “at least”" },
  {
    phrase: /\bstands? (?:still|here|there|beside|behind|above|before|under|at|where)\b/i,
    instead: "use “is”, or the real verb",
  },
  { phrase: /\bin (?:the|its|their|whose) place\b/i, instead: "write “instead”" },
];

/** “Who waits for commits keeps …” is a clause used as a subject; a question may begin with “Who”. */
const BEGINS_WITH_WHO = /(?:^|[.:;!?]\s+|\/\*\*\s+|\/\/\s+|\*\s+|["'`|>]\s*)Who [a-z][^?]*$/;

/**
 * Lists lines with phrases that plain English avoids, in comments, docs, test names and screen texts alike.
 *
 * @param root - The checkout.
 * @returns One sentence for each line, starting with the file; empty when there is nothing to rewrite.
 */
export function findUnplainWords(root: string): string[] {
  const files = globSync(PROSE, { cwd: root, exclude: (path) => NOT_PROSE.test(path) });
  return files
    .filter((file) => !NOT_PROSE.test(file) && !NAME_PHRASES.has(file))
    .sort()
    .flatMap((file) => findInText(file, readFileSync(join(root, file), "utf8")));
}

function findInText(file: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const problems = RULES.flatMap(({ phrase, instead }) => {
      const found = phrase.exec(line)?.[0];
      return found === undefined ? [] : [`“${found}”: ${instead}`];
    });
    if (BEGINS_WITH_WHO.test(line)) {
      problems.push("a sentence begins with “Who”: put the subject first");
    }
    return problems.map((problem) => `${file}:${index + 1} has ${problem}`);
  });
}
