import { listOf, recordOf, textOf } from "@turnpike/domain/routes/json";
import {
  type Reference,
  readReference,
  type ToAddress,
} from "@turnpike/domain/routes/read-reference";
import { buildOpenApiDocument, type OpenApiDocument } from "../../openapi/openapi-document.ts";
import { summariseMarkdown, toTwinTarget } from "../markdown-twin.ts";
import { type ReferenceGroup, SHAPES, toGroups } from "./reference-groups.ts";
import { createReferenceTwins, TWIN_SUFFIX } from "./reference-twins.ts";
import { findLanguage, type Language } from "./samples.ts";

export const REFERENCE_PATH = "/v1/reference";
export const REFERENCE_TITLE = "API reference";

/** The product's own API, as its pages and programs read it. */
export type ApiReference = {
  document: OpenApiDocument;
  reference: Reference;
  groups: readonly ReferenceGroup[];
  /** The Markdown twin of a page: of a group, `shapes`, or the empty text for the first; undefined when there is none. */
  writeTwin(name: string, language?: Language): string | undefined;
};

/** Where an operation is: most are below `/v1`. */
const toAddress: ToAddress = (path, servers) => {
  const server = textOf(recordOf(listOf(servers)[0])["url"]).replace(/\/$/, "");
  return { address: server + path, path: new URL(server).pathname.replace(/\/$/, "") + path };
};

/** What follows `Authorization: Bearer ` in samples. */
export function credentialFor(scope: string | undefined): string | undefined {
  if (scope === "public") {
    return;
  }
  return scope === "person" ? "<ID token>" : "tp_svc_…";
}

async function build(options: { consoleUrl: string; version: string }): Promise<ApiReference> {
  const document = await buildOpenApiDocument(options);
  const reference = readReference(document, toAddress);
  const toTarget = toTwinTarget("api.md", options.consoleUrl);
  const write = createReferenceTwins(reference, {
    address: options.consoleUrl + REFERENCE_PATH,
    title: REFERENCE_TITLE,
    intro: `Version ${document.info.version}, at \`${document.servers?.[0]?.url ?? ""}\`. Send a service key, or a key of a tenant with management scopes, in the header \`Authorization: Bearer\`. [Management API](${toTarget("api.md") ?? ""}) explains the rest; [openapi.json](${options.consoleUrl}/v1/openapi.json) is the same for programs, OpenAPI 3.1.`,
    credentialFor,
    toTarget,
  });
  return {
    document,
    reference,
    groups: toGroups(reference),
    writeTwin: (name, language = findLanguage(null)) => write(name, language),
  };
}

/**
 * Describes the API once it is asked for, and only once: its pages, its search and agents read the same.
 *
 * @param options.consoleUrl - Without a slash at the end.
 */
export function createApiReference(options: {
  consoleUrl: string;
  version: string;
}): () => Promise<ApiReference> {
  let built: Promise<ApiReference> | undefined;
  return () => {
    built ??= build(options);
    return built;
  };
}

/** The twins of the reference, for `llms.txt`. */
export function listReferenceTwins({ groups }: Pick<ApiReference, "groups">): {
  title: string;
  href: string;
  summary: string;
}[] {
  return [
    { title: REFERENCE_TITLE, href: REFERENCE_PATH + TWIN_SUFFIX, summary: "All operations." },
    ...groups.map(({ name, slug, description = "" }) => ({
      title: `${REFERENCE_TITLE}: ${name}`,
      href: `${REFERENCE_PATH}/${slug}${TWIN_SUFFIX}`,
      summary: summariseMarkdown(description),
    })),
    {
      title: `${REFERENCE_TITLE}: Shapes`,
      href: `${REFERENCE_PATH}/${SHAPES}${TWIN_SUFFIX}`,
      summary: "What requests and answers are made of, field by field.",
    },
  ];
}
