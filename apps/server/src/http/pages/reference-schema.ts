import { html, type SafeHtml, trustHtml } from "./html-page.ts";
import { renderInlineMarkdown } from "./render-markdown.ts";

/** A JSON schema as the API's document holds it; everything in it may be missing. */
type Schema = Readonly<Record<string, unknown>>;

const COMPONENTS = "#/components/schemas/";
/** Deeper shapes are named, and link to their own section. */
const DEPTH_MAX = 6;

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The name of a shape that is only referred to. */
function refName(schema: Schema): string | undefined {
  const ref = schema["$ref"];
  return typeof ref === "string" && ref.startsWith(COMPONENTS)
    ? ref.slice(COMPONENTS.length)
    : undefined;
}

function isNull(schema: unknown): boolean {
  return toSchema(schema)["type"] === "null";
}

/** Says in a few words what a value is, with links to named shapes. */
export function describeType(value: unknown): SafeHtml {
  const schema = toSchema(value);
  const name = refName(schema);
  if (name !== undefined) {
    return html`<a href="#shape-${name}">${name}</a>`;
  }
  const choices = listOf(schema["anyOf"]);
  if (choices.length > 0) {
    const parts = choices.filter((choice) => !isNull(choice)).map(describeType);
    const all = choices.some(isNull) ? [...parts, html`null`] : parts;
    return { html: all.map((part) => part.html).join(" or ") };
  }
  const values = listOf(schema["enum"]);
  if (values.length > 0) {
    return { html: values.map((one) => html`<code>${JSON.stringify(one)}</code>`.html).join(" ") };
  }
  switch (schema["type"]) {
    case "array":
      return html`list of ${describeType(schema["items"])}`;
    case "string":
      return schema["format"] === undefined
        ? html`string`
        : html`string (${String(schema["format"])})`;
    case undefined:
      return html`any value`;
    default:
      return html`${String(schema["type"])}`;
  }
}

/** "1 to 100 characters", "at most 5 items", "at least 0"; undefined without a bound. */
function describeRange(lowest: unknown, highest: unknown, unit: string): string | undefined {
  const words = unit === "" ? "" : ` ${unit}`;
  if (lowest !== undefined && highest !== undefined) {
    return `${String(lowest)} to ${String(highest)}${words}`;
  }
  if (lowest !== undefined) {
    return `at least ${String(lowest)}${words}`;
  }
  return highest === undefined ? undefined : `at most ${String(highest)}${words}`;
}

/** Bounds, default and pattern of a value. */
function describeBounds(schema: Schema): SafeHtml | undefined {
  const ranges = [
    describeRange(schema["minimum"], schema["maximum"], ""),
    describeRange(schema["minLength"], schema["maxLength"], "characters"),
    describeRange(schema["minItems"], schema["maxItems"], "items"),
  ];
  const parts = ranges
    .filter((range) => range !== undefined)
    .map((range) => html`<span>${range}</span>`);
  if (schema["default"] !== undefined) {
    parts.push(html`<span>default <code>${JSON.stringify(schema["default"])}</code></span>`);
  }
  const pattern = schema["pattern"];
  if (typeof pattern === "string") {
    parts.push(html`<span>matches <code>${pattern}</code></span>`);
  }
  return parts.length === 0 ? undefined : html`<div class="bounds">${parts}</div>`;
}

export type Field = {
  name: string;
  place?: string | undefined;
  isRequired: boolean;
  description: string | undefined;
  schema: unknown;
};

/** The shape whose fields are worth showing under a field: its own, or that of its items. */
function innerShape(schema: Schema): Schema | undefined {
  const shape = schema["type"] === "array" ? toSchema(schema["items"]) : schema;
  return isRecord(shape["properties"]) ? shape : undefined;
}

/** Renders named values: parameters, or the fields of an object with the objects inside them. */
export function renderFields(fields: readonly Field[], depth = 0): SafeHtml {
  return html`<ul class="fields">${fields.map(
    ({ name, place, isRequired, description, schema }) => {
      const own = toSchema(schema);
      const inner = depth < DEPTH_MAX ? innerShape(own) : undefined;
      return html`<li><div class="field"><code class="name">${name}</code> <span class="type">${describeType(own)}</span>${
        place === undefined ? undefined : html` <span class="place">${place}</span>`
      }${isRequired ? html` <span class="required">required</span>` : undefined}</div>${
        description === undefined
          ? undefined
          : html`<p>${trustHtml(renderInlineMarkdown(description))}</p>`
      }${describeBounds(own)}${inner === undefined ? undefined : renderFields(fieldsOf(inner), depth + 1)}</li>`;
    },
  )}</ul>`;
}

/** The fields of an object, required ones as they come. */
export function fieldsOf(value: unknown): Field[] {
  const schema = toSchema(value);
  const required = listOf(schema["required"]);
  return Object.entries(toSchema(schema["properties"])).map(([name, property]) => {
    const description = toSchema(property)["description"];
    return {
      name,
      isRequired: required.includes(name),
      description: typeof description === "string" ? description : undefined,
      schema: property,
    };
  });
}

/** Renders what a body or an answer is: a link to a named shape, or the fields themselves. */
export function renderShape(value: unknown): SafeHtml {
  const schema = toSchema(value);
  const inner = refName(schema) === undefined ? innerShape(schema) : undefined;
  return inner === undefined
    ? html`<p class="type">${describeType(schema)}</p>`
    : renderFields(fieldsOf(inner));
}

function sampleText(schema: Schema): string {
  const [example] = listOf(schema["examples"]);
  if (typeof example === "string") {
    return example;
  }
  switch (schema["format"]) {
    case "date-time":
      return "2026-01-31T12:00:00.000Z";
    case "email":
      return "ada@example.com";
    case "uri":
      return "https://example.com";
    default:
      return typeof schema["pattern"] === "string" ? "example" : "Example";
  }
}

/**
 * Makes up a value that fits a schema, for a sample: required fields only.
 *
 * @param schemas - The named shapes.
 */
export function sampleOf(value: unknown, schemas: Schema, depth = 0): unknown {
  const schema = toSchema(value);
  const name = refName(schema);
  if (name !== undefined || depth > DEPTH_MAX) {
    return name === undefined ? null : sampleOf(schemas[name], schemas, depth + 1);
  }
  if (schema["default"] !== undefined) {
    return schema["default"];
  }
  const [choice] = [...listOf(schema["enum"])];
  if (choice !== undefined) {
    return choice;
  }
  const [first] = listOf(schema["anyOf"]);
  if (first !== undefined) {
    return sampleOf(first, schemas, depth + 1);
  }
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        fieldsOf(schema)
          .filter((field) => field.isRequired)
          .map((field) => [field.name, sampleOf(field.schema, schemas, depth + 1)]),
      );
    case "array":
      return [sampleOf(schema["items"], schemas, depth + 1)];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "string":
      return sampleText(schema);
    default:
      return {};
  }
}
