import { resolve } from "node:path";
import { findBrokenCitations } from "./docs/cited-paths.ts";
import { findEnvironmentExampleProblems } from "./docs/environment-example.ts";
import { findErrorPageProblems } from "./docs/error-pages.ts";
import { findModuleReadmeProblems } from "./docs/module-readmes.ts";
import { findUnplainWords } from "./docs/plain-words.ts";
import { findUntestedRows } from "./docs/tested-rows.ts";
import { findDrawingProblems } from "./draw-architecture.ts";
import { findConfigurationDocsProblems } from "./write-configuration-docs.ts";

/**
 * Holds the pages against the code: cited paths and scripts, error pages, module pages, tests named for each
 * point of the specification and each threat, `.env.example`, the generated picture of the architecture, the generated tables
 * of the configuration, and plain words.
 *
 * @param root - The checkout.
 * @returns One sentence for each mistake, starting with the file to fix; empty when the pages tell the truth.
 */
export async function findDocsProblems(root: string): Promise<string[]> {
  const problems = await Promise.all([
    findBrokenCitations(root),
    findErrorPageProblems(root),
    findModuleReadmeProblems(root),
    findUntestedRows(root),
    findEnvironmentExampleProblems(root),
    findDrawingProblems(root),
    findConfigurationDocsProblems(root),
    findUnplainWords(root),
  ]);
  return problems.flat();
}

if (import.meta.main) {
  const problems = await findDocsProblems(resolve(import.meta.dirname, ".."));
  for (const problem of problems) {
    console.error(problem);
  }
  console.log(problems.length === 0 ? "docs: in order" : `docs: ${problems.length} to fix`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
