import {
  buildOpenApiDocument,
  type DescribedOperation,
  type OpenApiDocument,
} from "../openapi/openapi-document.ts";
import type { RawRoute } from "../raw-route.ts";
import {
  type EncodedText,
  encodeText,
  html,
  type PageShell,
  type SafeHtml,
  sendCached,
  sendHtml,
  trustHtml,
} from "./html-page.ts";
import { type Field, fieldsOf, renderFields, renderShape, sampleOf } from "./reference-schema.ts";
import { renderInlineMarkdown } from "./render-markdown.ts";

type Described = { method: string; path: string; operation: DescribedOperation };

function listOperations(document: OpenApiDocument): Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

function idOf({ operation }: Described): string {
  return operation.operationId ?? "";
}

function parameterFields(operation: DescribedOperation): Field[] {
  return (operation.parameters ?? []).flatMap((parameter) =>
    "$ref" in parameter
      ? []
      : [
          {
            name: parameter.name,
            place: parameter.in,
            isRequired: parameter.required === true,
            description: parameter.description,
            schema: parameter.schema,
          },
        ],
  );
}

/** Media types and schemas of a body or an answer. */
function contentOf(body: DescribedOperation["requestBody"]): [type: string, schema: unknown][] {
  if (body === undefined || "$ref" in body) {
    return [];
  }
  return Object.entries(body.content).map(([type, media]) => [type, media.schema]);
}

/** A value in single quotes, as a shell reads it. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Where an operation is: most are below `/v1`. */
function serverOf({ operation }: Described, document: OpenApiDocument): string {
  return (operation.servers ?? document.servers)?.[0]?.url ?? "";
}

function describeCaller(scope: DescribedOperation["x-required-scope"]): string {
  const words = { public: "no credential", person: "a signed-in person" };
  return scope === "public" || scope === "person" ? words[scope] : scope;
}

function sampleRequest(described: Described, document: OpenApiDocument): string {
  const { method, path, operation } = described;
  const server = serverOf(described, document);
  const schemas = document.components?.schemas ?? {};
  const parameters = parameterFields(operation);
  let target = path;
  const query = new URLSearchParams();
  for (const { name, place, isRequired, schema } of parameters) {
    const sample = String(sampleOf(schema, schemas));
    if (place === "path") {
      target = target.replace(`{${name}}`, encodeURIComponent(sample));
    } else if (place === "query" && isRequired) {
      query.set(name, sample);
    }
  }
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  const verb = method === "get" ? "" : `-X ${method.toUpperCase()} `;
  const lines = [`curl ${verb}${quoteForShell(`${server}${target}${search}`)}`];
  const scope = operation["x-required-scope"];
  if (scope !== "public") {
    lines.push(`-H 'Authorization: Bearer ${scope === "person" ? "<ID token>" : "tp_svc_…"}'`);
  }
  const [content] = contentOf(operation.requestBody);
  if (content !== undefined) {
    const [type, schema] = content;
    lines.push(`-H 'Content-Type: ${type}'`);
    lines.push(
      type === "application/json"
        ? `-d ${quoteForShell(JSON.stringify(sampleOf(schema, schemas)))}`
        : "--data-binary @file",
    );
  }
  return lines.join(" \\\n  ");
}

function renderBody(operation: DescribedOperation): SafeHtml | undefined {
  const content = contentOf(operation.requestBody);
  const [first] = content;
  if (first === undefined) {
    return;
  }
  const types = content.map(([type]) => html` <code>${type}</code>`);
  return html`<h4>Body${types}</h4>${first[0] === "application/json" ? renderShape(first[1]) : undefined}`;
}

/** The successful answers of an operation; its refusals, many and mostly alike, are folded by status. */
function renderResponses(operation: DescribedOperation): SafeHtml {
  const rows = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const isSuccess = status.startsWith("2");
    const description =
      "$ref" in response ? html`` : trustHtml(renderInlineMarkdown(response.description));
    const content = "$ref" in response ? undefined : response.content;
    const [media] = Object.entries(content ?? {});
    const shape =
      !isSuccess || media === undefined
        ? undefined
        : html`<p class="media"><code>${media[0]}</code></p>${renderShape(media[1].schema)}`;
    const row = html`<li class="${isSuccess ? "success" : "failure"}"><span class="status">${status}</span><div>${description}${shape}</div></li>`;
    return { status, isSuccess, row };
  });
  const successes = rows.filter(({ isSuccess }) => isSuccess);
  const failures = rows.filter(({ isSuccess }) => !isSuccess);
  const list = (listed: typeof rows) =>
    html`<ul class="responses">${listed.map(({ row }) => row)}</ul>`;
  return html`<h4>Answers</h4>${successes.length === 0 ? undefined : list(successes)}${
    failures.length === 0
      ? undefined
      : html`<details class="failures"><summary>Refusals: ${failures.map(({ status }) => status).join(", ")}</summary>${list(failures)}</details>`
  }`;
}

function renderOperation(described: Described, document: OpenApiDocument): SafeHtml {
  const { method, path, operation } = described;
  const id = idOf(described);
  const parameters = parameterFields(operation);
  const scope = operation["x-required-scope"];
  return html`<section class="operation" id="${id}">
<h3><a href="#${id}">${operation.summary ?? id}</a></h3>
<p class="call"><span class="method method-${method}">${method.toUpperCase()}</span> <code>${new URL(serverOf(described, document)).pathname.replace(/\/$/, "")}${path}</code> <span class="chip">${describeCaller(scope)}</span></p>
<p>${trustHtml(renderInlineMarkdown(operation.description ?? ""))}</p>
<pre tabindex="0"><code>${sampleRequest(described, document)}</code></pre>
${parameters.length === 0 ? undefined : html`<h4>Parameters</h4>${renderFields(parameters)}`}
${renderBody(operation)}
${renderResponses(operation)}
</section>`;
}

function renderNavigation(document: OpenApiDocument, operations: readonly Described[]): SafeHtml {
  const shapes = Object.keys(document.components?.schemas ?? {});
  return html`${(document.tags ?? []).map(
    ({ name }) =>
      html`<h2>${name}</h2><ul>${operations
        .filter(({ operation }) => operation.tags?.includes(name) === true)
        .map(
          (described) =>
            html`<li><a href="#${idOf(described)}"><span class="method method-${described.method}">${described.method.toUpperCase()}</span> ${described.operation.summary ?? idOf(described)}</a></li>`,
        )}</ul>`,
  )}<h2>Shapes</h2><ul>${shapes.map((name) => html`<li><a href="#shape-${name}">${name}</a></li>`)}</ul>`;
}

function renderShapes(document: OpenApiDocument): SafeHtml {
  const shapes = Object.entries(document.components?.schemas ?? {});
  return html`<h2 id="shapes">Shapes</h2>${shapes.map(([name, schema]) => {
    const description =
      "description" in schema && typeof schema.description === "string"
        ? html`<p>${schema.description}</p>`
        : undefined;
    return html`<section class="shape" id="shape-${name}"><h3><a href="#shape-${name}">${name}</a></h3>${description}${
      fieldsOf(schema).length === 0
        ? renderFields([{ name, isRequired: false, description: undefined, schema }])
        : renderShape(schema)
    }</section>`;
  })}`;
}

function renderReference(document: OpenApiDocument, shell: PageShell): string {
  const operations = listOperations(document);
  const server = document.servers?.[0]?.url ?? "";
  const tags = (document.tags ?? []).map(
    ({ name, description }) =>
      html`<h2>${name}</h2>${
        description === undefined ? undefined : html`<p>${description}</p>`
      }${operations
        .filter(({ operation }) => operation.tags?.includes(name) === true)
        .map((described) => renderOperation(described, document))}`,
  );
  return shell.render({
    title: "API reference",
    navigation: renderNavigation(document, operations),
    main: html`<h1>API reference</h1>
<p>Version ${document.info.version}, at <code>${server}</code>. Send a service key, or a key of a tenant with management scopes, in the header <code>Authorization: Bearer</code>. <a href="/docs/api">How to call the API</a> tells the rest; programs read the same from <a href="/v1/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>
${tags}
${renderShapes(document)}`,
    layout: "reference",
  });
}

/**
 * Serves the API's document and a page that people read. The page is written by the server from the document: it needs no
 * script, so its policy allows none, and it loads nothing from elsewhere.
 *
 * @see docs/decisions/0007-reference-page-without-scripts.md
 */
export function createReferenceRoutes(options: {
  consoleUrl: string;
  version: string;
  shell: PageShell;
}): RawRoute[] {
  type Built = { json: EncodedText; page: EncodedText };
  let built: Promise<Built> | undefined;

  async function build(): Promise<Built> {
    const document = await buildOpenApiDocument(options);
    return {
      json: encodeText(JSON.stringify(document)),
      page: encodeText(renderReference(document, options.shell)),
    };
  }

  return [
    {
      method: "GET",
      path: "/v1/openapi.json",
      handle: async ({ req, res }) => {
        built ??= build();
        sendCached(req, res, {
          status: 200,
          type: "application/json",
          text: (await built).json,
          // Public, so that tools in any page can read it.
          headers: { "access-control-allow-origin": "*" },
        });
      },
    },
    {
      method: "GET",
      path: "/v1/reference",
      handle: async ({ req, res }) => {
        built ??= build();
        sendHtml(req, res, { status: 200, text: (await built).page });
      },
    },
  ];
}
