import { isRecord, type Json, listOf, recordOf, textOf } from "@turnpike/domain/routes/json";
import type { Field } from "@turnpike/domain/routes/read-reference";
import { html, type SafeHtml, trustHtml } from "../html-page.ts";
import { renderInlineMarkdown } from "../render-markdown.ts";
import { mergeAll, refName } from "./schema.ts";

/** Deeper shapes are named, and link to their own section. */
const DEPTH_MAX = 6;

function isNull(schema: unknown): boolean {
  return recordOf(schema)["type"] === "null";
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
function describeBounds(schema: Json): SafeHtml | undefined {
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

/** The shape whose fields are worth showing under a field: its own, or that of its items. */
function innerShape(schema: Json): Json | undefined {
  const shape = schema["type"] === "array" ? recordOf(schema["items"]) : schema;
  return isRecord(shape["properties"]) ? shape : undefined;
}

/** The fields of an object, required ones as they come. */
export function fieldsOf(value: unknown): Field[] {
  const schema = recordOf(value);
  const required = listOf(schema["required"]);
  return Object.entries(recordOf(schema["properties"])).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    description: textOf(recordOf(property)["description"]) || undefined,
    schema: property,
  }));
}

export type ShapeRenderer = {
  /** Named values: parameters, or the fields of an object with the objects inside them. */
  renderFields(fields: readonly Field[]): SafeHtml;
  /** What a body or an answer is: a link to a named shape, or the fields themselves. */
  renderShape(value: unknown): SafeHtml;
};

/**
 * Makes what writes schemas for people.
 *
 * @param schemas - The named shapes.
 * @param toHref - Where a named shape is described.
 */
export function createShapeRenderer(
  schemas: Json,
  toHref: (name: string) => string,
): ShapeRenderer {
  /** Says in a few words what a value is, with links to named shapes. */
  function describeType(value: unknown, depth = 0): SafeHtml {
    const name = refName(value);
    if (name !== undefined) {
      return html`<a href="${toHref(name)}">${name}</a>`;
    }
    const schema = recordOf(value);
    if (depth > DEPTH_MAX) {
      return html`any value`;
    }
    const describe = (inner: unknown) => describeType(inner, depth + 1);
    const join = (parts: readonly SafeHtml[], word: string) =>
      trustHtml(parts.map((part) => part.html).join(word));
    const choices = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
    if (choices.length > 0) {
      const parts = choices.filter((choice) => !isNull(choice)).map(describe);
      return join(choices.some(isNull) ? [...parts, html`null`] : parts, " or ");
    }
    const parts = listOf(schema["allOf"]);
    if (parts.length > 0) {
      return join(parts.map(describe), " with ");
    }
    const values = [...listOf(schema["enum"]), ...[schema["const"] ?? []].flat()];
    if (values.length > 0) {
      return join(
        values.map((one) => html`<code>${JSON.stringify(one)}</code>`),
        " ",
      );
    }
    const types = [schema["type"] ?? []].flat();
    return types.length === 0
      ? html`any value`
      : join(
          [...types, ...(schema["nullable"] === true ? ["null"] : [])].map((type) =>
            describePlainType(String(type), schema, describe),
          ),
          " or ",
        );
  }

  function renderAt(fields: readonly Field[], depth: number): SafeHtml {
    return html`<ul class="fields">${fields.map(
      ({ name, place, isRequired, description, schema }) => {
        const own = mergeAll(recordOf(schema), schemas);
        const inner = depth < DEPTH_MAX ? innerShape(own) : undefined;
        return html`<li><div class="field"><code class="name">${name}</code> <span class="type">${describeType(schema)}</span>${
          place === undefined ? undefined : html` <span class="place">${place}</span>`
        }${isRequired ? html` <span class="required">required</span>` : undefined}</div>${
          description === undefined
            ? undefined
            : html`<p>${trustHtml(renderInlineMarkdown(description))}</p>`
        }${describeBounds(own)}${inner === undefined ? undefined : renderAt(fieldsOf(inner), depth + 1)}</li>`;
      },
    )}</ul>`;
  }

  return {
    renderFields: (fields) => renderAt(fields, 0),
    renderShape: (value) => {
      const isNamed = refName(value) !== undefined;
      const inner = isNamed ? undefined : innerShape(mergeAll(recordOf(value), schemas));
      return inner === undefined
        ? html`<p class="type">${describeType(value)}</p>`
        : renderAt(fieldsOf(inner), 0);
    },
  };
}

function describePlainType(
  type: string,
  schema: Json,
  describe: (inner: unknown) => SafeHtml,
): SafeHtml {
  const { format, items, additionalProperties } = schema;
  if (type === "array") {
    return html`list of ${describe(items)}`;
  }
  if (type === "object" && isRecord(additionalProperties)) {
    return html`map of ${describe(additionalProperties)}`;
  }
  return typeof format === "string" && type === "string" ? html`string (${format})` : html`${type}`;
}
