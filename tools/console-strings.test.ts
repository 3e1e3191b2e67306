import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** Attributes that people read or hear. */
const READ_ATTRIBUTES = new Set(
  "label title aria-label alt placeholder help description purpose action progress failure what note advice".split(
    " ",
  ),
);
/** Members of objects that screens show. */
const READ_MEMBERS = new Set("label header note does context meaning help".split(" "));
/** What is called the same in every language. */
const NAMES = new Set(
  "API,BIC,CSV,IBAN,JSON,NRR,OK,Python,SAML 2.0,TypeScript,curl,nginx".split(","),
);
/** Elements whose text is the same in every language. */
const CODE_ELEMENTS = new Set(["code", "kbd", "pre"]);
/** Macros of Lingui: text in them is in the catalogues. */
const MACROS = new Set(["Trans", "Plural"]);
const WORD = /\p{L}{2}/u;
/** An address, an id or a scope as an example: the same in every language. */
const EXAMPLE = /^[\w-]+[.:/]\S+$|^\/\S+$/;

function tagOf(node: ts.Node): string | undefined {
  return ts.isJsxElement(node) ? node.openingElement.tagName.getText() : undefined;
}

function isWithin(node: ts.Node, tags: ReadonlySet<string>): boolean {
  for (let at: ts.Node = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if (tags.has(tagOf(at) ?? "")) {
      return true;
    }
  }
  return false;
}

/** In a message of Lingui, `context` says to translators which meaning of a word it is. */
function isForTranslators(node: ts.Node): boolean {
  return (
    ts.isPropertyAssignment(node) &&
    node.name.getText() === "context" &&
    node.parent.properties.some((beside) => beside.name?.getText() === "message")
  );
}

/** The text of an attribute or a member that people read; false for everything else. */
function readNamed(node: ts.Node): string | false {
  const names = ts.isJsxAttribute(node) ? READ_ATTRIBUTES : READ_MEMBERS;
  return (
    !isForTranslators(node) &&
    (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) &&
    names.has(node.name.getText()) &&
    node.initializer !== undefined &&
    ts.isStringLiteral(node.initializer) &&
    !NAMES.has(node.initializer.text) &&
    node.initializer.text
  );
}

/** Finds text that only English readers would get, as `line: text`. */
function findUntranslated(name: string, text: string): string[] {
  const kind = name.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const said = ts.isJsxText(node)
      ? !isWithin(node, MACROS) && !isWithin(node, CODE_ELEMENTS) && node.text.trim()
      : readNamed(node);
    if (said !== false && !EXAMPLE.test(said) && WORD.test(said.replace(/&\w+;/g, ""))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${name}:${String(line + 1)}: ${said}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe("strings of the console", () => {
  it("are in the catalogues, whether they are text or attributes that people read", () => {
    const files = globSync(["apps/console/src/**/*.{ts,tsx}", "packages/ui/src/**/*.{ts,tsx}"], {
      cwd: ROOT,
    }).filter((file) => !/\.(?:test|fixture|gen)\.tsx?$/.test(file));
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((file) =>
      findUntranslated(file, readFileSync(`${ROOT}/${file}`, "utf8")),
    );
    expect(found).toEqual([]);
  });

  it("are missed nowhere that a macro does not hold them", () => {
    const text = `
      <p title="Said"><b>Said, too</b> <Trans>Held <i>here</i></Trans> <code>GET /v1</code>
      <i className="not said" {...{ label: "Said", note: t\`Held\`, help: "/name" }} title="maps:read" label={t({ message: "Held", context: "not said" })}>{count}</i> – 7</p>`;
    expect(findUntranslated("x.tsx", text)).toEqual([
      "x.tsx:2: Said",
      "x.tsx:2: Said, too",
      "x.tsx:3: Said",
    ]);
  });
});
