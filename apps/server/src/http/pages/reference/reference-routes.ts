import type { OpenApiDocument } from "../../openapi/openapi-document.ts";
import { type RawRoute, readQuery } from "../../raw-route.ts";
import { sendMarkdown } from "../documentation-markdown.ts";
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
import {
  type ApiReference,
  credentialFor,
  REFERENCE_PATH,
  REFERENCE_TITLE,
} from "./api-reference.ts";
import { createPageCache } from "./page-cache.ts";
import { createReferencePages } from "./reference-pages.ts";
import { TWIN_SUFFIX } from "./reference-twins.ts";
import { findLanguage } from "./samples.ts";
import { tryItRoute } from "./try-it.ts";

function renderIntro({ info, servers }: OpenApiDocument): SafeHtml {
  return html`<p>Version ${info.version}, at <code>${servers?.[0]?.url ?? ""}</code>. Send a service key, or a key of a tenant with management scopes, in the header <code>Authorization: Bearer</code>. <a href="/docs/api">Management API</a> explains the rest; programs read the same from <a href="/v1/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>`;
}

/**
 * Serves the API's document and the pages that people read. The pages are written by the server from the document, read without
 * a script, and load nothing from elsewhere; one script of their own sends calls.
 *
 * @see docs/decisions/0007-reference-page-without-scripts.md
 */
export function createReferenceRoutes(options: {
  loadReference: () => Promise<ApiReference>;
  shell: PageShell;
  /** Answers for a page that is not there. */
  sendMissing: RawRoute["handle"];
}): RawRoute[] {
  type FindPage = ReturnType<typeof createPageCache>;
  type Built = { json: EncodedText; findPage: FindPage; findTwin: FindPage };
  let built: Promise<Built> | undefined;

  async function build(): Promise<Built> {
    const { document, reference, writeTwin } = await options.loadReference();
    const render = createReferencePages(reference, {
      shell: options.shell,
      base: REFERENCE_PATH,
      title: REFERENCE_TITLE,
      intro: renderIntro(document),
      credentialFor,
      keyLabel: "A service key, or a key with management scopes",
      toHref: toDocsHref,
    });
    return {
      json: encodeText(JSON.stringify(document)),
      findPage: createPageCache(render),
      findTwin: createPageCache(writeTwin),
    };
  }

  const sendPage: RawRoute["handle"] = async (call) => {
    const { req, res, params } = call;
    built ??= build();
    const { findPage, findTwin } = await built;
    const language = findLanguage(readQuery(req).get("samples"));
    const name = params["name"] ?? "";
    const twin = name.endsWith(TWIN_SUFFIX)
      ? findTwin(name.slice(0, -TWIN_SUFFIX.length), language)
      : undefined;
    const page = findPage(name, language);
    if (twin !== undefined && name !== TWIN_SUFFIX) {
      sendMarkdown(req, res, twin);
    } else if (page === undefined) {
      await options.sendMissing(call);
    } else {
      sendHtml(req, res, { status: 200, text: page, calls: [] });
    }
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
    {
      method: "GET",
      path: REFERENCE_PATH + TWIN_SUFFIX,
      handle: async ({ req, res }) => {
        built ??= build();
        const twin = (await built).findTwin("", findLanguage(null));
        sendMarkdown(req, res, twin ?? "");
      },
    },
    { method: "GET", path: `${REFERENCE_PATH}/{name}`, handle: sendPage },
  ];
}
