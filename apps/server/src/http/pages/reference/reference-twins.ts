import { type Json, recordOf } from "@turnpike/domain/routes/json";
import type {
  Answer,
  Content,
  Field,
  Reference,
  ReferenceOperation,
} from "@turnpike/domain/routes/read-reference";
import { rewriteLinks } from "../markdown-twin.ts";
import { toAnchor } from "../render-markdown.ts";
import { describeBounds, describeType, type Word } from "./describe-schema.ts";
import { type ReferenceGroup, SHAPES, toGroups } from "./reference-groups.ts";
import { type Language, toSampleRequest, writeSample } from "./samples.ts";
import { DEPTH_MAX, fieldsOf, innerShape, mergeAll, refName } from "./schema.ts";

export const TWIN_SUFFIX = ".md";

export type TwinStyle = {
  /** Whole address of the first page in HTML, without a slash at the end. */
  address: string;
  title: string;
  /** Markdown, below the title of the first page. */
  intro: string;
  /** What follows `Authorization: Bearer ` in samples, by the scope; undefined for no header. */
  credentialFor: (scope: string | undefined) => string | undefined;
  /** The whole address of a link in a description; undefined makes it plain words. */
  toTarget: (href: string) => string | undefined;
};

type Row = readonly string[];

/** A text as code, which may have backticks in it. */
function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}

/** A fence longer than any in the text. */
function block(text: string, language: string): string[] {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
  return [`${fence}${language}`, text, fence, ""];
}

function table(head: Row, rows: readonly Row[]): string[] {
  const line = (cells: Row) =>
    `| ${cells.map((cell) => cell.replace(/\s+/g, " ").trim().replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line), ""];
}

/** A name of the document as it is, on one line: it is no Markdown. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[[\]<>]/g, "\\$&");
}

function heading(depth: number, text: string): string[] {
  return [`${"#".repeat(depth)} ${text}`, ""];
}

/**
 * Makes the Markdown twins of the pages of a reference: the same operations, with tables for what people read as nested lists.
 *
 * @returns What writes a page by its name: of a group, `shapes`, or the empty text for the first page; undefined when there is none.
 */
export function createReferenceTwins(
  reference: Reference,
  style: TwinStyle,
): (name: string, language: Language) => string | undefined {
  const groups = toGroups(reference);
  const { schemas } = reference;
  const shapeNames = Object.keys(schemas);
  const addressOf = (name: string) => `${style.address}/${name}${TWIN_SUFFIX}`;
  const prose = (text: string | undefined) =>
    text === undefined || text.trim() === "" ? [] : [rewriteLinks(text, style.toTarget).trim(), ""];

  function words(list: readonly Word[]): string {
    return list
      .map((word) => {
        if (typeof word === "string") {
          return word;
        }
        return "code" in word
          ? code(word.code)
          : `[${plain(word.shape)}](${addressOf(SHAPES)}#${toAnchor(word.shape)})`;
      })
      .join("");
  }

  function meaning(description: string | undefined, schema: Json): string {
    const bounds = describeBounds(schema).map(words).join(", ");
    const [text = ""] = prose(description);
    const sentence = bounds === "" ? "" : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`;
    return [text, sentence].filter((part) => part !== "").join(" ");
  }

  /** One row for each field, those of objects inside named by their path: `lines[].amount`. */
  function rowsOf(fields: readonly Field[], path: string, depth: number): Row[] {
    return fields.flatMap(({ name, place, isRequired, description, schema }) => {
      const own = mergeAll(recordOf(schema), schemas);
      const inner = depth < DEPTH_MAX ? innerShape(own) : undefined;
      const step = `${path}${name}`;
      return [
        [
          code(step),
          ...(place === undefined ? [] : [place]),
          words(describeType(schema)),
          isRequired ? "yes" : "",
          meaning(description, own),
        ],
        ...(inner === undefined
          ? []
          : rowsOf(fieldsOf(inner), `${step}${own["type"] === "array" ? "[]" : ""}.`, depth + 1)),
      ];
    });
  }

  function writeFields(fields: readonly Field[]): string[] {
    return table(["field", "type", "required", "meaning"], rowsOf(fields, "", 0));
  }

  function writeShape(value: unknown): string[] {
    const isNamed = refName(value) !== undefined;
    const inner = isNamed ? undefined : innerShape(mergeAll(recordOf(value), schemas));
    if (inner === undefined) {
      return [`${words(describeType(value))}`, ""];
    }
    const isList = recordOf(value)["type"] === "array";
    return [...(isList ? ["A list of:", ""] : []), ...writeFields(fieldsOf(inner))];
  }

  function writeContent({ type, schema }: Content): string[] {
    return /[/+]json$/.test(type) ? writeShape(schema) : [];
  }

  function writeAnswers(answers: readonly Answer[]): string[] {
    const isSuccess = ({ status }: Answer) => status.startsWith("2");
    const refusals = answers.filter((answer) => !isSuccess(answer));
    return [
      ...answers
        .filter(isSuccess)
        .flatMap(({ status, description, content }) => [
          ...heading(
            3,
            `Answer ${status}${content === undefined ? "" : `: ${code(content.type)}`}`,
          ),
          ...prose(description),
          ...(content === undefined ? [] : writeContent(content)),
        ]),
      ...(refusals.length === 0
        ? []
        : [
            ...heading(3, "Refusals"),
            ...table(
              ["status", "meaning"],
              refusals.map(({ status, description }) => [status, prose(description)[0] ?? ""]),
            ),
          ]),
    ];
  }

  function writeOperation(operation: ReferenceOperation, language: Language): string[] {
    const { id, method, path, scope, parameters, body } = operation;
    const request = toSampleRequest(operation, schemas, style.credentialFor(scope));
    const [content] = body;
    return [
      ...heading(2, plain(operation.summary)),
      `${code(`${method} ${path}`)}, operation ${code(id)}${operation.isDeprecated ? ", deprecated" : ""}`,
      "",
      ...prose(operation.description),
      ...block(writeSample(request, language), language.fence),
      ...(parameters.length === 0
        ? []
        : [
            ...heading(3, "Parameters"),
            ...table(
              ["name", "in", "type", "required", "meaning"],
              rowsOf(
                parameters.map((each) => ({ ...each, place: each.place ?? "" })),
                "",
                DEPTH_MAX,
              ),
            ),
          ]),
      ...(content === undefined
        ? []
        : [
            ...heading(3, `Body: ${body.map(({ type }) => code(type)).join(", ")}`),
            ...writeContent(content),
          ]),
      ...writeAnswers(operation.answers),
    ];
  }

  function writeGroup(group: ReferenceGroup, language: Language): string[] {
    return [
      ...heading(1, plain(group.name)),
      ...prose(group.description),
      ...group.operations.flatMap((operation) => writeOperation(operation, language)),
    ];
  }

  function writeShapes(): string[] {
    return [
      ...heading(1, "Shapes"),
      ...Object.entries(schemas).flatMap(([name, schema]) => {
        const [field] = fieldsOf({ properties: { [name]: schema } });
        const own = mergeAll(recordOf(schema), schemas);
        const hasFields = fieldsOf(schema).length > 0;
        return [
          ...heading(2, plain(name)),
          ...prose(field?.description),
          ...(hasFields
            ? writeShape(schema)
            : [
                [words(describeType(schema)), meaning(undefined, own)]
                  .filter((part) => part !== "")
                  .join(". "),
                "",
              ]),
        ];
      }),
    ];
  }

  function writeFirst(): string[] {
    return [
      ...heading(1, plain(style.title)),
      style.intro,
      "",
      ...groups.flatMap((group) => [
        ...heading(2, plain(group.name)),
        ...prose(group.description),
        ...group.operations.map(
          ({ summary, method, path }) =>
            `- [${plain(summary)}](${addressOf(group.slug)}#${toAnchor(summary)}): ${code(`${method} ${path}`)}`,
        ),
        "",
      ]),
      ...(shapeNames.length === 0
        ? []
        : [`What requests and answers are made of: [Shapes](${addressOf(SHAPES)}).`, ""]),
    ];
  }

  return (name, language) => {
    const group = groups.find(({ slug }) => slug === name);
    const isShapes = name === SHAPES && shapeNames.length > 0;
    if (name !== "" && group === undefined && !isShapes) {
      return;
    }
    const lines =
      group === undefined ? (isShapes ? writeShapes() : writeFirst()) : writeGroup(group, language);
    return `${lines.join("\n").trimEnd()}\n`;
  };
}
