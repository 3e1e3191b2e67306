import type { Answer, Reference, ReferenceOperation } from "@turnpike/domain/routes/read-reference";
import { html, type PageShell, type SafeHtml, trustHtml } from "../html-page.ts";
import { renderInlineMarkdown, renderMarkdown, type ToHref } from "../render-markdown.ts";
import { describeCaller, type ReferenceGroup, SHAPES, toGroups } from "./reference-groups.ts";
import { TWIN_SUFFIX } from "./reference-twins.ts";
import {
  LANGUAGES,
  type Language,
  type SampleRequest,
  toSampleRequest,
  writeSample,
} from "./samples.ts";
import { fieldsOf } from "./schema.ts";
import { createShapeRenderer, type ShapeRenderer } from "./shapes.ts";
import { TRY_IT_PATH } from "./try-it.ts";

export type ReferenceStyle = {
  shell: PageShell;
  /** Address of the first page, without a slash at the end. */
  base: string;
  title: string;
  /** Above the list of groups. */
  intro: SafeHtml;
  /** What follows `Authorization: Bearer ` in samples, by the scope; undefined for no header. */
  credentialFor: (scope: string | undefined) => string | undefined;
  /** What a person sends calls with: "Your API key". */
  keyLabel: string;
  /** Where links in descriptions may lead. */
  toHref: ToHref;
};

/** Search engines show no more. */
const DESCRIPTION_LENGTH_MAX = 160;

function renderMethod(method: string): SafeHtml {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}

function isSuccess({ status }: Answer): boolean {
  return status.startsWith("2");
}

/** The successful answers of an operation; its refusals, many and mostly alike, are folded by status. */
function renderAnswers(answers: readonly Answer[], shapes: ShapeRenderer): SafeHtml | undefined {
  if (answers.length === 0) {
    return;
  }
  const list = (listed: readonly Answer[]) =>
    html`<ul class="responses">${listed.map((answer) => {
      const { status, description, content } = answer;
      const shape =
        isSuccess(answer) && content !== undefined
          ? html`<p class="media"><code>${content.type}</code></p>${shapes.renderShape(content.schema)}`
          : undefined;
      return html`<li class="${isSuccess(answer) ? "success" : "failure"}"><span class="status">${status}</span><div>${trustHtml(renderInlineMarkdown(description))}${shape}</div></li>`;
    })}</ul>`;
  const successes = answers.filter(isSuccess);
  const failures = answers.filter((answer) => !isSuccess(answer));
  return html`<h3>Answers</h3>${successes.length === 0 ? undefined : list(successes)}${
    failures.length === 0
      ? undefined
      : html`<details class="failures"><summary>Refusals: ${failures.map(({ status }) => status).join(", ")}</summary>${list(failures)}</details>`
  }`;
}

function renderBody({ body }: ReferenceOperation, shapes: ShapeRenderer): SafeHtml | undefined {
  const [first] = body;
  if (first === undefined) {
    return;
  }
  const types = body.map(({ type }) => html` <code>${type}</code>`);
  return html`<h3>Body${types}</h3>${/[/+]json$/.test(first.type) ? shapes.renderShape(first.schema) : undefined}`;
}

/** A form by which the page's script sends the call; hidden where no script runs. */
function renderTry(
  { address, method, parameters }: ReferenceOperation,
  { body, values }: SampleRequest,
  keyLabel: string | undefined,
): SafeHtml {
  const inputs = parameters
    .filter(({ place }) => place === "path" || place === "query" || place === "header")
    .map(
      ({ name, place, isRequired }) =>
        html`<label><span>${name} <span class="place">${place}</span></span><input name="${name}" data-place="${place}" value="${isRequired ? values[name] : ""}" autocomplete="off" spellcheck="false"></label>`,
    );
  const key =
    keyLabel === undefined
      ? undefined
      : html`<label><span>${keyLabel}</span><input type="password" data-key autocomplete="off" spellcheck="false"></label>`;
  const content =
    body === undefined
      ? undefined
      : html`<label><span>Body <code>${body.type}</code></span><textarea data-type="${body.type}" rows="${Math.min(body.text.split("\n").length + 1, 16)}" spellcheck="false">${body.text}</textarea></label>`;
  return html`<details class="try" data-method="${method}" data-address="${address}" hidden><summary>Try it</summary>${key}${inputs}${content}<button type="button">Send</button><output tabindex="0" aria-live="polite"></output></details>`;
}

/**
 * Makes the pages of a reference for people: one for each group of operations, one for the named shapes, and one that lists them.
 *
 * @returns What renders a page by its name: of a group, `shapes`, or the empty text for the first page; undefined when there is none.
 */
export function createReferencePages(
  reference: Reference,
  style: ReferenceStyle,
): (name: string, language: Language) => string | undefined {
  const { base, shell } = style;
  const groups = toGroups(reference);
  const shapeNames = Object.keys(reference.schemas);

  /** Links keep the language that the reader chose. */
  function createLinks(language: Language) {
    const query = language === LANGUAGES[0] ? "" : `?samples=${language.id}`;
    return {
      page: (name: string) => `${name === "" ? base : `${base}/${name}`}${query}`,
      twin: (name: string) =>
        `${name === "" ? base : `${base}/${name}`}${TWIN_SUFFIX}${name === "" || name === SHAPES ? "" : query}`,
      operation: (group: ReferenceGroup, { id }: ReferenceOperation) =>
        `${base}/${group.slug}${query}#${id}`,
      shape: (name: string) => `${base}/${SHAPES}${query}#shape-${name}`,
    };
  }
  type Links = ReturnType<typeof createLinks>;

  function renderNavigation(current: string, links: Links): SafeHtml {
    const here = (name: string) => (name === current ? html` aria-current="page"` : html``);
    return html`<h2>${style.title}</h2><ul><li><a href="${links.page("")}"${here("")}>All operations</a></li>${groups.map(
      (group) =>
        html`<li><a href="${links.page(group.slug)}"${here(group.slug)}>${group.name}</a>${
          group.slug === current
            ? html`<ul>${group.operations.map((operation) => html`<li><a href="#${operation.id}">${renderMethod(operation.method)} ${operation.summary}</a></li>`)}</ul>`
            : undefined
        }</li>`,
    )}${
      shapeNames.length === 0
        ? undefined
        : html`<li><a href="${links.page(SHAPES)}"${here(SHAPES)}>Shapes</a></li>`
    }</ul>`;
  }

  function renderLanguages(name: string, language: Language): SafeHtml {
    return html`<nav class="languages" aria-label="Language of the samples">${LANGUAGES.map(
      (each) => {
        const href = createLinks(each).page(name);
        // For search engines each language is the same page again.
        return html`<a href="${href}" rel="nofollow"${each === language ? html` aria-current="true"` : undefined}>${each.label}</a>`;
      },
    )}</nav>`;
  }

  function renderOperation(
    operation: ReferenceOperation,
    language: Language,
    shapes: ShapeRenderer,
  ): SafeHtml {
    const { id, method, path, scope, parameters } = operation;
    const request = toSampleRequest(operation, reference.schemas, style.credentialFor(scope));
    return html`<section class="operation" id="${id}">
<h2><a href="#${id}">${operation.summary}</a></h2>
<p class="call">${renderMethod(method)} <code>${path}</code>${scope === undefined ? undefined : html` <span class="chip">${describeCaller(scope)}</span>`}${operation.isDeprecated ? html` <span class="chip">deprecated</span>` : undefined}</p>
${trustHtml(renderMarkdown("api.md", operation.description, style.toHref).html)}
<pre tabindex="0" data-language="${language.id}"><code>${writeSample(request, language)}</code></pre>
${parameters.length === 0 ? undefined : html`<h3>Parameters</h3>${shapes.renderFields(parameters)}`}
${renderBody(operation, shapes)}
${renderAnswers(operation.answers, shapes)}
${renderTry(operation, request, scope === "public" ? undefined : style.keyLabel)}
</section>`;
  }

  function renderGroup(group: ReferenceGroup, language: Language, links: Links): SafeHtml {
    const shapes = createShapeRenderer(reference.schemas, links.shape);
    return html`<h1>${group.name}</h1>${
      group.description === undefined
        ? undefined
        : trustHtml(renderMarkdown("api.md", group.description, style.toHref).html)
    }${renderLanguages(group.slug, language)}${group.operations.map((operation) => renderOperation(operation, language, shapes))}`;
  }

  function renderShapes(links: Links): SafeHtml {
    const shapes = createShapeRenderer(reference.schemas, links.shape);
    return html`<h1>Shapes</h1>${Object.entries(reference.schemas).map(([name, schema]) => {
      const [field] = fieldsOf({ properties: { [name]: schema } });
      return html`<section class="shape" id="shape-${name}"><h2><a href="#shape-${name}">${name}</a></h2>${
        field?.description === undefined ? undefined : html`<p>${field.description}</p>`
      }${
        fieldsOf(schema).length > 0 || field === undefined
          ? shapes.renderShape(schema)
          : shapes.renderFields([{ ...field, description: undefined }])
      }</section>`;
    })}`;
  }

  function renderFirst(links: Links): SafeHtml {
    return html`<h1>${style.title}</h1>${style.intro}${groups.map(
      (group) =>
        html`<h2><a href="${links.page(group.slug)}">${group.name}</a></h2>${
          group.description === undefined
            ? undefined
            : trustHtml(renderMarkdown("api.md", group.description, style.toHref).html)
        }<ul class="operations">${group.operations.map(
          (operation) =>
            html`<li id="${operation.id}"><a href="${links.operation(group, operation)}">${renderMethod(operation.method)} <span>${operation.summary}</span> <code>${operation.path}</code></a></li>`,
        )}</ul>`,
    )}`;
  }

  /** For search engines and previews. */
  function describe(group: ReferenceGroup | undefined, isShapes: boolean): string {
    if (isShapes) {
      return "What requests and answers are made of, field by field.";
    }
    if (group === undefined) {
      return `${style.title}: every operation with its shapes, and samples in six languages.`;
    }
    const summaries = group.operations.map(({ summary }) => summary).join(", ");
    return `${group.name}: ${summaries}`.slice(0, DESCRIPTION_LENGTH_MAX);
  }

  return (name, language) => {
    const links = createLinks(language);
    const group = groups.find(({ slug }) => slug === name);
    const isShapes = name === SHAPES && shapeNames.length > 0;
    if (name !== "" && group === undefined && !isShapes) {
      return;
    }
    return shell.render({
      title: group?.name ?? (isShapes ? "Shapes" : style.title),
      description: describe(group, isShapes),
      navigation: renderNavigation(name, links),
      main:
        group === undefined
          ? isShapes
            ? renderShapes(links)
            : renderFirst(links)
          : renderGroup(group, language, links),
      layout: "reference",
      twin: { href: links.twin(name), type: "text/markdown" },
      ...(group && { script: TRY_IT_PATH }),
    });
  };
}
