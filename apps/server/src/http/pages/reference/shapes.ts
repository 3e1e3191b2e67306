import { type Json, recordOf } from "@turnpike/domain/routes/json";
import type { Field } from "@turnpike/domain/routes/read-reference";
import { html, type SafeHtml, trustHtml } from "../html-page.ts";
import { renderInlineMarkdown } from "../render-markdown.ts";
import { describeBounds, describeType, type Word } from "./describe-schema.ts";
import { DEPTH_MAX, fieldsOf, innerShape, mergeAll, refName } from "./schema.ts";

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
  function renderWords(words: readonly Word[]): SafeHtml {
    return html`${words.map((word) => {
      if (typeof word === "string") {
        return html`${word}`;
      }
      return "code" in word
        ? html`<code>${word.code}</code>`
        : html`<a href="${toHref(word.shape)}">${word.shape}</a>`;
    })}`;
  }

  function renderBounds(schema: Json): SafeHtml | undefined {
    const bounds = describeBounds(schema);
    return bounds.length === 0
      ? undefined
      : html`<div class="bounds">${bounds.map((bound) => html`<span>${renderWords(bound)}</span>`)}</div>`;
  }

  function renderAt(fields: readonly Field[], depth: number): SafeHtml {
    return html`<ul class="fields">${fields.map(
      ({ name, place, isRequired, description, schema }) => {
        const own = mergeAll(recordOf(schema), schemas);
        const inner = depth < DEPTH_MAX ? innerShape(own) : undefined;
        return html`<li><div class="field"><code class="name">${name}</code> <span class="type">${renderWords(describeType(schema))}</span>${
          place === undefined ? undefined : html` <span class="place">${place}</span>`
        }${isRequired ? html` <span class="required">required</span>` : undefined}</div>${
          description === undefined
            ? undefined
            : html`<p>${trustHtml(renderInlineMarkdown(description))}</p>`
        }${renderBounds(own)}${inner === undefined ? undefined : renderAt(fieldsOf(inner), depth + 1)}</li>`;
      },
    )}</ul>`;
  }

  return {
    renderFields: (fields) => renderAt(fields, 0),
    renderShape: (value) => {
      const isNamed = refName(value) !== undefined;
      const inner = isNamed ? undefined : innerShape(mergeAll(recordOf(value), schemas));
      return inner === undefined
        ? html`<p class="type">${renderWords(describeType(value))}</p>`
        : renderAt(fieldsOf(inner), 0);
    },
  };
}
