import { followLink, isRecord, type Json, listOf, recordOf, textOf } from "./json.ts";

/** A named value: a parameter, or a field of an object. */
export type Field = {
  name: string;
  place?: string | undefined;
  isRequired: boolean;
  description: string | undefined;
  schema: unknown;
};

export type Content = { type: string; schema: unknown };

export type Answer = { status: string; description: string; content: Content | undefined };

export type ReferenceOperation = {
  /** Unique in the document; an anchor. */
  id: string;
  /** In capitals. */
  method: string;
  /** Path as callers send it, with names in braces. */
  path: string;
  /** The whole address, with names in braces. */
  address: string;
  summary: string;
  /** Markdown. */
  description: string;
  tag: string;
  /** The scope that a credential needs, `person` or `public`; undefined where the document does not say. */
  scope: string | undefined;
  isDeprecated: boolean;
  parameters: Field[];
  /** Of the body, by media type. */
  body: Content[];
  answers: Answer[];
};

export type Reference = {
  title: string;
  version: string;
  /** Markdown. */
  description: string;
  /** In the order in which they are read; every operation has one of them. */
  tags: { name: string; description: string | undefined }[];
  operations: ReferenceOperation[];
  /** The named shapes. */
  schemas: Json;
};

/** Where an operation is, by what the document says. */
export type ToAddress = (path: string, servers: unknown) => { path: string; address: string };

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
/** More than these do not help a reader, and a broken document could go on for ever. */
const OPERATIONS_MAX = 2_000;
const OTHER_TAG = "Operations";

function follow(document: Json, value: unknown): Json {
  return recordOf(followLink(document, value));
}

/** The schema of each media type, with the example that the document gives for the whole. */
function readContent(document: Json, value: unknown): Content[] {
  return Object.entries(recordOf(value)).map(([type, each]) => {
    const media = recordOf(each);
    return { type, schema: { ...recordOf(media["schema"]), ...exampleOf(document, media) } };
  });
}

/** Parameters by place and name: those of an operation replace those of its path. */
function readParameters(document: Json, ...lists: unknown[]): Field[] {
  const byName = new Map<string, Field>();
  for (const parameter of lists.flatMap(listOf).map((each) => follow(document, each))) {
    const [name, place] = [textOf(parameter["name"]), textOf(parameter["in"])];
    const { schema, content } = parameter;
    byName.set(`${place} ${name}`, {
      name,
      place,
      isRequired: parameter["required"] === true,
      description: textOf(parameter["description"]) || undefined,
      schema: {
        ...recordOf(schema ?? readContent(document, content)[0]?.schema),
        ...exampleOf(document, parameter),
      },
    });
  }
  return [...byName.values()].filter(({ name }) => name !== "");
}

/** `example`, or the first of the named `examples`. */
function exampleOf(document: Json, { example, examples }: Json): Json {
  const [named] = Object.values(recordOf(examples));
  const given = example ?? follow(document, named)["value"];
  return given === undefined ? {} : { example: given };
}

function readAnswers(document: Json, value: unknown): Answer[] {
  return Object.entries(recordOf(value)).map(([status, each]) => {
    const answer = follow(document, each);
    return {
      status,
      description: textOf(answer["description"]),
      content: readContent(document, answer["content"])[0],
    };
  });
}

/**
 * Reads what a reference shows out of an OpenAPI document of version 3. Never throws: what it does not understand is left out.
 *
 * @param document - As it was parsed.
 */
export function readReference(document: unknown, toAddress: ToAddress): Reference {
  const top = recordOf(document);
  const info = recordOf(top["info"]);
  const seen = new Set<string>();
  const operations = Object.entries(recordOf(top["paths"]))
    .flatMap(([path, value]) => {
      const item = follow(top, value);
      return METHODS.filter((method) => isRecord(item[method])).map((method) => ({
        path,
        item,
        method,
        operation: recordOf(item[method]),
      }));
    })
    .slice(0, OPERATIONS_MAX)
    .map(({ path, item, method, operation }): ReferenceOperation => {
      const plain = textOf(operation["operationId"]) || `${method}-${path.replace(/\W+/g, "-")}`;
      const id = seen.has(plain) ? `${plain}-${String(seen.size)}` : plain;
      seen.add(id);
      const scope = operation["x-required-scope"];
      return {
        id,
        method: method.toUpperCase(),
        ...toAddress(path, operation["servers"] ?? item["servers"] ?? top["servers"]),
        summary: textOf(operation["summary"]) || `${method.toUpperCase()} ${path}`,
        description: textOf(operation["description"]),
        tag: textOf(listOf(operation["tags"])[0]) || OTHER_TAG,
        scope: typeof scope === "string" ? scope : undefined,
        isDeprecated: operation["deprecated"] === true,
        parameters: readParameters(top, item["parameters"], operation["parameters"]),
        body: readContent(top, follow(top, operation["requestBody"])["content"]),
        answers: readAnswers(top, operation["responses"]),
      };
    });
  const described = new Map(
    listOf(top["tags"])
      .map(recordOf)
      .map((tag) => [textOf(tag["name"]), textOf(tag["description"]) || undefined] as const),
  );
  const used = new Set(operations.map(({ tag }) => tag));
  const names = [...described.keys(), ...[...used].filter((name) => !described.has(name))];
  return {
    title: textOf(info["title"]),
    version: textOf(info["version"]),
    description: textOf(info["description"]),
    tags: names
      .filter((name) => used.has(name))
      .map((name) => ({ name, description: described.get(name) })),
    operations,
    schemas: recordOf(recordOf(top["components"])["schemas"]),
  };
}
