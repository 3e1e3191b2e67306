import { listOf, recordOf, textOf } from "@turnpike/domain/routes/json";
import { readReference, type ToAddress } from "@turnpike/domain/routes/read-reference";
import { buildOpenApiDocument, type OpenApiDocument } from "../../openapi/openapi-document.ts";
import { type RawRoute, readQuery } from "../../raw-route.ts";
import {
  type EncodedText,
  encodeText,
  html,
  type PageShell,
  type SafeHtml,
  sendCached,
  sendHtml,
} from "../html-page.ts";
import { toDocsHref } from "../render-markdown.ts";
import { createPageCache } from "./page-cache.ts";
import { createReferencePages } from "./reference-pages.ts";
import { findLanguage } from "./samples.ts";
import { tryItRoute } from "./try-it.ts";

const REFERENCE_PATH = "/v1/reference";

/** Where an operation is: most are below `/v1`. */
const toAddress: ToAddress = (path, servers) => {
  const server = textOf(recordOf(listOf(servers)[0])["url"]).replace(/\/$/, "");
  return { address: server + path, path: new URL(server).pathname.replace(/\/$/, "") + path };
};

function credentialFor(scope: string | undefined): string | undefined {
  if (scope === "public") {
    return;
  }
  return scope === "person" ? "<ID token>" : "tp_svc_…";
}

function renderIntro({ info, servers }: OpenApiDocument): SafeHtml {
  return html`<p>Version ${info.version}, at <code>${servers?.[0]?.url ?? ""}</code>. Send a service key, or a key of a tenant with management scopes, in the header <code>Authorization: Bearer</code>. <a href="/docs/api">How to call the API</a> explains the rest; programs read the same from <a href="/v1/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>`;
}

/**
 * Serves the API's document and the pages that people read. The pages are written by the server from the document, read without
 * a script, and load nothing from elsewhere; one script of their own sends calls.
 *
 * @see docs/decisions/0007-reference-page-without-scripts.md
 */
export function createReferenceRoutes(options: {
  consoleUrl: string;
  version: string;
  shell: PageShell;
  /** Answers for a page that is not there. */
  sendMissing: RawRoute["handle"];
}): RawRoute[] {
  type Built = { json: EncodedText; findPage: ReturnType<typeof createPageCache> };
  let built: Promise<Built> | undefined;

  async function build(): Promise<Built> {
    const document = await buildOpenApiDocument(options);
    const pages = createReferencePages(readReference(document, toAddress), {
      shell: options.shell,
      base: REFERENCE_PATH,
      title: "API reference",
      intro: renderIntro(document),
      credentialFor,
      keyLabel: "A service key, or a key with management scopes",
      toHref: toDocsHref,
    });
    return { json: encodeText(JSON.stringify(document)), findPage: createPageCache(pages) };
  }

  const sendPage: RawRoute["handle"] = async (call) => {
    const { req, res, params } = call;
    built ??= build();
    const language = findLanguage(readQuery(req).get("samples"));
    const text = (await built).findPage(params["name"] ?? "", language);
    if (text === undefined) {
      await options.sendMissing(call);
      return;
    }
    sendHtml(req, res, { status: 200, text, calls: [] });
  };

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
    tryItRoute,
    { method: "GET", path: REFERENCE_PATH, handle: sendPage },
    { method: "GET", path: `${REFERENCE_PATH}/{name}`, handle: sendPage },
  ];
}
