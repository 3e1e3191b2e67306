import type { types } from "@babel/core";
import { parse } from "@babel/core";
import type { ExtractorType } from "@lingui/conf";
import { toMessageId } from "@turnpike/domain/text/sentence-finder";

/** What the API says of its own shapes is documentation, which is for developers and English. */
const OF_DOCUMENTATION = /^(?:description|summary|describe|meta)$/;
/** Names of what is said without a full stop as well. */
const OF_TITLES = /^(?:title|subject|label|publicMessage|message|seen|advice|fix)$/;
/** Failures that reach the log alone. */
const OF_LOGS = /^(?:Error|TypeError|RangeError|StartupError)$/;
const SENTENCE = /^[A-Z{].* .*[.?!]$/s;
const TITLE = /^[A-Z{].* \S/s;
/** A sentence that is nothing but its values has no words to translate. */
const WORD = /[A-Za-z]{2}/;

/** The text of a literal, its values as `{0}`, `{1}`, …; undefined for anything else. */
function readTemplate(node: types.Node): string | undefined {
  if (node.type === "StringLiteral") {
    return node.value;
  }
  return node.type === "TemplateLiteral"
    ? node.quasis
        .map(({ value }, index) => {
          const text = toMessageId(value.cooked ?? "");
          return index < node.expressions.length ? `${text}{${String(index)}}` : text;
        })
        .join("")
    : undefined;
}

function isNode(value: unknown): value is types.Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** The name that a node gives to what is below it: that of a property, a constant or a called function. */
function nameOf(node: types.Node): string {
  const named =
    node.type === "ObjectProperty"
      ? node.key
      : node.type === "VariableDeclarator"
        ? node.id
        : node.type === "CallExpression" || node.type === "NewExpression"
          ? node.callee.type === "MemberExpression"
            ? node.callee.property
            : node.callee
          : undefined;
  return named?.type === "Identifier" ? named.name : "";
}

function isLeftOut(node: types.Node): boolean {
  const name = nameOf(node);
  return (
    node.type === "ImportDeclaration" ||
    (node.type.startsWith("TS") && !node.type.endsWith("Expression")) ||
    OF_DOCUMENTATION.test(name) ||
    (node.type === "NewExpression" && OF_LOGS.test(name))
  );
}

/** The sentences of a module of the server, in the order in which they are written. */
export function findSentences(program: types.Node): string[] {
  const found: string[] = [];
  function visit(node: types.Node, kind: "said" | "title" | "other"): void {
    if (isLeftOut(node)) {
      return;
    }
    const template = readTemplate(node);
    const words = template?.replaceAll(/\{\d+\}/g, "") ?? "";
    if (template !== undefined && WORD.test(words)) {
      if (kind === "said" || (kind === "title" ? TITLE : SENTENCE).test(template)) {
        found.push(template);
      }
    }
    const name = nameOf(node);
    const below =
      name === "said"
        ? "said"
        : OF_TITLES.test(name)
          ? "title"
          : // A conditional, or what is put together, is as much of a title as its parts.
            name === ""
            ? kind
            : "other";
    for (const child of Object.values(node).flat()) {
      if (isNode(child)) {
        visit(child, below);
      }
    }
  }
  visit(program, "other");
  return found;
}

/** Finds what the server says to people, where the code has no macros: each literal that reads as a sentence. */
export const serverSentences: ExtractorType = {
  match: (path) => /\/(?:apps\/server|packages\/(?:domain|contract))\/src\/.*\.ts$/.test(path),
  extract(path, code, onMessage) {
    const tree = parse(code, {
      filename: path,
      babelrc: false,
      configFile: false,
      parserOpts: { plugins: ["typescript"] },
    });
    for (const id of new Set(tree === null ? [] : findSentences(tree.program))) {
      onMessage({ id, origin: [path, 1] });
    }
  },
};
