import type { IncomingMessage, ServerResponse } from "node:http";
import type { Reference } from "@turnpike/domain/routes/read-reference";
import { type RawCall, type RawRoute, readQuery } from "../../raw-route.ts";
import {
  html,
  type PageShell,
  type SafeHtml,
  sendCached,
  sendHtml,
  trustHtml,
} from "../html-page.ts";
import { rewriteLinks, summariseMarkdown } from "../markdown-twin.ts";
import { renderMarkdown } from "../render-markdown.ts";
import { createPageCache } from "./page-cache.ts";
import { createReferencePages } from "./reference-pages.ts";
import { createReferenceTwins, TWIN_SUFFIX } from "./reference-twins.ts";
import { findLanguage } from "./samples.ts";
import type { ReferenceVisits } from "./visits.ts";

export const OPERATOR_REFERENCE_PATH = "/reference";

/** Of an upstream that documents itself. */
export type UpstreamReference = { upstream: string; reference: Reference };

export type OperatorReferenceOptions = {
  shell: PageShell;
  brandName: string;
  /** Public addresses, without a slash at the end. */
  consoleUrl: string;
  gatewayUrl: string;
  visibility: "public" | "members";
  visits: Pick<ReferenceVisits, "redeem" | "isOpen">;
  /** The documents at hand, which change while the process runs. */
  list: () => readonly UpstreamReference[];
};

/** Links of the operator's texts lead to other sites, or to a part of the page. */
function toOutsideHref(_page: string, href: string): string | undefined {
  return /^(?:https?:|mailto:|#)/i.test(href) ? href : undefined;
}

/** What everybody may read of the references, for `llms.txt`. */
export function listPublicReferences(
  options: Pick<OperatorReferenceOptions, "list"> & { visibility: "public" | "members" | null },
): { title: string; href: string; summary: string }[] {
  return options.visibility !== "public"
    ? []
    : options.list().map(({ upstream, reference }) => ({
        title: reference.title === "" ? upstream : reference.title,
        href: `${OPERATOR_REFERENCE_PATH}/${upstream}${TWIN_SUFFIX}`,
        summary: summariseMarkdown(reference.description),
      }));
}

function redirect(res: ServerResponse, location: string, headers: Record<string, string> = {}) {
  res.writeHead(303, { location, "cache-control": "no-store", ...headers });
  res.end();
}

/**
 * Serves the reference of the operator's own API to its customers: what the upstreams' OpenAPI documents describe, with the paths
 * and the address of the gateway.
 */
export function createOperatorReferenceRoutes(options: OperatorReferenceOptions): RawRoute[] {
  const { shell, gatewayUrl, visits } = options;
  type FindPage = ReturnType<typeof createPageCache>;
  const pagesOf = new WeakMap<Reference, { findPage: FindPage; findTwin: FindPage }>();

  function renderIntro({ version, description }: Reference): SafeHtml {
    return html`<p>${version === "" ? undefined : html`Version ${version}, at `}<code>${gatewayUrl}</code>. Send your API key in the header <code>Authorization: Bearer</code>.</p>${trustHtml(renderMarkdown("api.md", description, toOutsideHref).html)}`;
  }

  function titleOf({ upstream, reference }: UpstreamReference): string {
    return reference.title === "" ? upstream : reference.title;
  }

  function writeIntro({ version, description }: Reference): string {
    const at = `${version === "" ? "At" : `Version ${version}, at`} \`${gatewayUrl}\`. Send your API key in the header \`Authorization: Bearer\`.`;
    return [at, rewriteLinks(description, (href) => toOutsideHref("", href)).trim()]
      .filter((part) => part !== "")
      .join("\n\n");
  }

  function findPages(found: UpstreamReference): { findPage: FindPage; findTwin: FindPage } {
    const { upstream, reference } = found;
    const known = pagesOf.get(reference);
    if (known !== undefined) {
      return known;
    }
    const operations = reference.operations.map((operation) => ({
      ...operation,
      address: gatewayUrl + operation.path,
      // A scope of ours says nothing about the operator's operations.
      scope: undefined,
    }));
    const described = { ...reference, operations };
    const base = `${OPERATOR_REFERENCE_PATH}/${upstream}`;
    const style = { title: titleOf(found), credentialFor: () => "YOUR_KEY" };
    const pages = {
      findPage: createPageCache(
        createReferencePages(described, {
          ...style,
          shell,
          base,
          intro: renderIntro(reference),
          keyLabel: "Your API key",
          toHref: toOutsideHref,
        }),
      ),
      findTwin: createPageCache(
        createReferenceTwins(described, {
          ...style,
          address: options.consoleUrl + base,
          intro: writeIntro(reference),
          toTarget: (href) => toOutsideHref("", href),
        }),
      ),
    };
    pagesOf.set(reference, pages);
    return pages;
  }

  function sendMessage(req: IncomingMessage, res: ServerResponse, status: number, main: SafeHtml) {
    const text = shell.render({
      title: "API reference",
      description: "The operations of this API.",
      navigation: html``,
      main,
      layout: "page",
    });
    sendHtml(req, res, { status, text });
  }

  function sendMissing(req: IncomingMessage, res: ServerResponse): void {
    const isEmpty = options.list().length === 0;
    const why = isEmpty
      ? html`<p>The description of this API could not be read yet. Try again in a minute.</p>`
      : html`<p>It may have been renamed. Start at <a href="${OPERATOR_REFERENCE_PATH}">the first page</a>.</p>`;
    const heading = isEmpty ? "Not available yet" : "There is no such page";
    sendMessage(req, res, isEmpty ? 503 : 404, html`<h1>${heading}</h1>${why}`);
  }

  /** True when the request was answered: with a cookie for a ticket, or with the way to sign in. */
  async function turnAway({ req, res }: RawCall): Promise<boolean> {
    if (options.visibility === "public") {
      return false;
    }
    const ticket = readQuery(req).get("ticket");
    const cookie = ticket === null ? undefined : await visits.redeem(ticket);
    if (cookie !== undefined) {
      redirect(res, OPERATOR_REFERENCE_PATH, { "set-cookie": cookie });
      return true;
    }
    if (await visits.isOpen(req.headers.cookie)) {
      return false;
    }
    sendMessage(
      req,
      res,
      401,
      html`<h1>Sign in to read the reference</h1><p>${options.brandName} shows it to its customers. <a href="/quickstart">Sign in</a> and open it from Quickstart.</p>`,
    );
    return true;
  }

  async function sendFirst(call: RawCall): Promise<void> {
    const { req, res } = call;
    if (await turnAway(call)) {
      return;
    }
    const [only, ...others] = options.list();
    if (only === undefined) {
      sendMissing(req, res);
    } else if (others.length === 0) {
      redirect(res, `${OPERATOR_REFERENCE_PATH}/${only.upstream}`);
    } else {
      const cards = [only, ...others].map(
        (each) =>
          html`<li><a href="${OPERATOR_REFERENCE_PATH}/${each.upstream}"><span class="title">${titleOf(each)}</span><span class="summary">${each.reference.operations.length} operations</span></a></li>`,
      );
      sendMessage(req, res, 200, html`<h1>API reference</h1><ul class="cards">${cards}</ul>`);
    }
  }

  async function sendPage(call: RawCall): Promise<void> {
    const { req, res, params } = call;
    if (await turnAway(call)) {
      return;
    }
    const asked = params["name"] ?? params["upstream"] ?? "";
    const isTwin = asked.endsWith(TWIN_SUFFIX);
    const plain = isTwin ? asked.slice(0, -TWIN_SUFFIX.length) : asked;
    const isFirst = params["name"] === undefined;
    const wanted = isFirst ? plain : params["upstream"];
    const found = options.list().find(({ upstream }) => upstream === wanted);
    const pages = found && findPages(found);
    const language = findLanguage(readQuery(req).get("samples"));
    const text = (isTwin ? pages?.findTwin : pages?.findPage)?.(isFirst ? "" : plain, language);
    if (text === undefined) {
      sendMissing(req, res);
      return;
    }
    if (isTwin) {
      sendCached(req, res, { status: 200, type: "text/markdown; charset=utf-8", text });
      return;
    }
    sendHtml(req, res, { status: 200, text, calls: [new URL(gatewayUrl).origin] });
  }

  return [
    { method: "GET", path: OPERATOR_REFERENCE_PATH, handle: sendFirst },
    { method: "GET", path: `${OPERATOR_REFERENCE_PATH}/{upstream}`, handle: sendPage },
    { method: "GET", path: `${OPERATOR_REFERENCE_PATH}/{upstream}/{name}`, handle: sendPage },
  ];
}
