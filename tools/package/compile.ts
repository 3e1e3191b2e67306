import { stripTypeScriptTypes } from "node:module";
import ts from "typescript";

/** Packages of the repository are folders of the published one, which its `imports` names. */
const OWN_PACKAGE = /^@turnpike\/(?=[a-z-]+\/)/;
/** A module that is started by its address: a thread, or a process. */
const STARTED = /(?<=\bnew URL\("\.{1,2}\/[^"]+)\.ts(?=", import\.meta\.url\))/g;

function toPublished(specifier: string): string {
  const isFile = /^(\.{1,2}\/|#)/.test(specifier);
  return isFile ? specifier.replace(/\.ts$/, ".js") : specifier.replace(OWN_PACKAGE, "#");
}

/**
 * Turns a module of the repository into one that Node runs below `node_modules`, where it takes no types: they are replaced by
 * blanks, so that lines and columns stay, and imports name the published files.
 */
export function compileModule(source: string): string {
  const code = stripTypeScriptTypes(source);
  const { importedFiles } = ts.preProcessFile(code, true, true);
  const withImports = importedFiles.toReversed().reduce((text, { pos, fileName }) => {
    // Behind the quote.
    const start = pos + 1;
    return text.slice(0, start) + toPublished(fileName) + text.slice(start + fileName.length);
  }, code);
  return withImports.replaceAll(STARTED, ".js").replaceAll(/[ \t]+$/gm, "");
}
