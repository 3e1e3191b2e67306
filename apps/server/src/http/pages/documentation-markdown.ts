import type { IncomingMessage, ServerResponse } from "node:http";
import { ERROR_CODES, errorPageSlug, isErrorCode } from "@turnpike/domain/errors/error-codes";
import type { DocumentationPage } from "./documentation-pages.ts";
import { type EncodedText, sendCached } from "./html-page.ts";
import { summariseMarkdown, toMarkdownTwin } from "./markdown-twin.ts";

/** Public texts: pages of other sites may read them. */
const HEADERS = { "access-control-allow-origin": "*" };

const ERRORS_PATH = "/docs/errors";

/** Sends a text of the documentation in Markdown. */
export function sendMarkdown(
  req: IncomingMessage,
  res: ServerResponse,
  text: string | EncodedText,
): void {
  sendCached(req, res, {
    status: 200,
    type: "text/markdown; charset=utf-8",
    text,
    headers: HEADERS,
  });
}

/** Sends `llms.txt`. */
export function sendPlainText(req: IncomingMessage, res: ServerResponse, text: string): void {
  sendCached(req, res, { status: 200, type: "text/plain; charset=utf-8", text, headers: HEADERS });
}

/** The twin of a page. @param consoleUrl - Without a slash at the end. */
export function twinOf(page: DocumentationPage, consoleUrl: string): string {
  return toMarkdownTwin(page.file, page.source, consoleUrl);
}

/** The twin of the index of error codes. */
export function writeErrorIndex(consoleUrl: string): string {
  const codes = Object.keys(ERROR_CODES)
    .filter(isErrorCode)
    .sort((one, other) => ERROR_CODES[one].status - ERROR_CODES[other].status);
  const rows = codes.map(
    (code) =>
      `| ${String(ERROR_CODES[code].status)} | [${code}](${consoleUrl}${ERRORS_PATH}/${errorPageSlug(code)}.md) | ${ERROR_CODES[code].title} |`,
  );
  return [
    "# Error codes",
    "",
    "Every refusal and failure carries one of these in `code`, and the address of its page in `type`. Codes are stable: decide by them, not by the sentence.",
    "",
    "| status | code | meaning |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function toEntry(page: DocumentationPage, consoleUrl: string): string {
  const summary = summariseMarkdown(page.source);
  const link = `- [${page.title ?? page.name}](${consoleUrl}${page.href}.md)`;
  return summary === "" ? link : `${link}: ${summary}`;
}

/** A page in Markdown that `llms.txt` names. `href` is its path on this site. */
export type NamedTwin = { title: string; href: string; summary: string };

/**
 * Writes `llms.txt` (llmstxt.org): what this site is and where its documentation is in Markdown, for programs that read.
 *
 * @param input.ownApi - The references of the operator's own API that everybody may read; what is sold here comes first.
 * @param input.guides - In the order in which they are read.
 */
export function writeLlmsText(input: {
  brandName: string;
  summary: string;
  consoleUrl: string;
  ownApi: readonly NamedTwin[];
  guides: readonly DocumentationPage[];
  reference: readonly NamedTwin[];
  decisions: readonly DocumentationPage[];
}): string {
  const { brandName, consoleUrl, guides, decisions } = input;
  const entries = (pages: readonly DocumentationPage[]) =>
    pages.map((page) => toEntry(page, consoleUrl));
  const named = (twins: readonly NamedTwin[]) =>
    twins.map(({ title, href, summary }) => {
      const link = `- [${title.replace(/[[\]\s]+/g, " ").trim()}](${consoleUrl}${href})`;
      return summary === "" ? link : `${link}: ${summary}`;
    });
  return [
    `# ${brandName}`,
    "",
    `> ${input.summary}`,
    "",
    `Agents connect by the Model Context Protocol at ${consoleUrl}/mcp: ${consoleUrl}/docs/agents.md says how. Each page below is Markdown; without \`.md\` it is the same page for people.`,
    "",
    ...(input.ownApi.length === 0 ? [] : ["## API", "", ...named(input.ownApi), ""]),
    "## Guides",
    "",
    ...entries(guides),
    "",
    "## Reference",
    "",
    `- [OpenAPI document](${consoleUrl}/v1/openapi.json): Every operation of the API with its shapes.`,
    `- [Error codes](${consoleUrl}${ERRORS_PATH}.md): Every code, its status and what to do.`,
    ...named(input.reference),
    ...(decisions.length === 0 ? [] : ["", "## Optional", "", ...entries(decisions)]),
    "",
  ].join("\n");
}
