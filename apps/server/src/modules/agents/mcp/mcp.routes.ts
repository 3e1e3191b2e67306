import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { nameSender } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { bearerCredential } from "#http/authenticate.ts";
import type { CallOperation } from "#http/call-operation.ts";
import type { HttpContext } from "#http/http-context.ts";
import { assertJsonType } from "#http/json-body.ts";
import { toAppError } from "#http/problem-details.ts";
import { type RawCall, type RawRoute, readBody, sendJson } from "#http/raw-route.ts";
import type { Queue } from "#modules/analytics/index.ts";
import { parseJson } from "#platform/parse-json.ts";
import { type Agent, holds } from "../agent.ts";
import type { Documentation } from "../agents.ports.ts";
import { RESULT_BYTES_MAX } from "../tools/bound-result.ts";
import { createMcpServer, scopeOfTool, TOOL_SCOPES } from "./create-mcp-server.ts";

export type McpRoutesDeps = {
  /** The agent of a bearer credential; undefined for one that is not valid here. */
  findAgent(credential: string, findAddress: () => string): Promise<Agent | undefined>;
  callOperation: CallOperation;
  documentation: Documentation;
  /** Takes a request from the budget of its sender. @throws {AppError} `TOO_MANY_WRITES`. */
  takeRequest(agent: Agent): void;
  /** Runs the calls of each sender a few at a time. */
  inTurn: Queue;
  brandName: string;
  version: string;
  /** Public address, without a slash at the end. */
  consoleUrl: string;
  /** Pages that may call, beside those of the console. */
  corsOrigins: readonly string[];
  /** The issuer whose access tokens are taken beside keys. */
  authorizationServer: string;
};

export const MCP_PATH = "/mcp";
const METADATA_PATH = "/.well-known/oauth-protected-resource";
/** A question is small. */
const BODY_BYTES_MAX = 128 * 1024;
/** An answer has its result twice: as data and, with escaped quotes, as text. */
const ANSWER_BYTES_MAX = 4 * RESULT_BYTES_MAX;
const HEADER_MISMATCH = -32_020;
const BODY_BOUNDS = { depthMax: 16, valuesMax: 2_000, namesMax: 2_000 };

/** Names on a challenge where a client learns how to get a credential (RFC 9728). */
function challenge(metadataUrl: string, parts: Readonly<Record<string, string>>): string {
  const all = { ...parts, resource_metadata: metadataUrl };
  return `Bearer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`;
}

function namedTool(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null) {
    return;
  }
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } };
  return method === "tools/call" && typeof params?.name === "string" ? params.name : undefined;
}

/**
 * True when the headers that proxies decide by say what the body says. The newest revision demands it; a body of an older one must not
 * be a way around a proxy either.
 */
function isNamedAlike({ headersDistinct }: IncomingMessage, message: unknown): boolean {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; uri?: unknown };
  };
  const agrees = (name: string, value: unknown) =>
    (headersDistinct[name] ?? []).every((sent) => sent === value);
  return agrees("mcp-method", method) && agrees("mcp-name", params?.name ?? params?.uri);
}

function toWebRequest(req: IncomingMessage, url: string): Request {
  const headers = new Headers();
  for (const [name, values] of Object.entries(req.headersDistinct)) {
    // The credential ends here: nothing behind it needs one.
    if (name !== "authorization" && name !== "cookie") {
      for (const value of values ?? []) {
        headers.append(name, value);
      }
    }
  }
  const method = req.method ?? "GET";
  return new Request(url, { method, headers, ...(method === "POST" ? { body: "" } : {}) });
}

/** Reads an answer to its end, or until its reader has gone: an answer of an older revision begins before its tool has run. */
async function readWhole({ body }: Response, res: ServerResponse): Promise<Buffer> {
  const reader = body?.getReader();
  const stop = () => void reader?.cancel().catch(() => undefined);
  res.once("close", stop);
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value);
      bytes += part.value.byteLength;
      if (bytes > ANSWER_BYTES_MAX) {
        stop();
        throw new Error("An answer to an agent is larger than any result can be.");
      }
    }
    return Buffer.concat(chunks);
  } finally {
    res.off("close", stop);
  }
}

function send(res: ServerResponse, response: Response, body: Buffer): void {
  res.statusCode = response.status;
  for (const [name, value] of response.headers) {
    res.setHeader(name, value);
  }
  res.setHeader("cache-control", "no-store");
  res.end(body);
}

/**
 * Serves the Model Context Protocol at `/mcp`, without sessions: each request carries its credential, which names one tenant. The
 * protected resource's metadata says where a credential comes from.
 */
export function createMcpRoutes(deps: McpRoutesDeps): RawRoute[] {
  const resource = deps.consoleUrl + MCP_PATH;
  const metadataUrl = deps.consoleUrl + METADATA_PATH + MCP_PATH;
  const origins = new Set([new URL(deps.consoleUrl).origin, ...deps.corsOrigins]);
  const calls = new WeakMap<Request, { agent: Agent; context: HttpContext }>();

  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const known = requestInfo === undefined ? undefined : calls.get(requestInfo);
      if (known === undefined) {
        throw new Error("A request without an agent.");
      }
      const { agent, context } = known;
      const who = { actor: agent.actor, requestId: context.requestId };
      return createMcpServer({
        ...deps,
        agent,
        callOperation: (id, input) => deps.callOperation(id, who, { context, input }),
        explainError: (error) => {
          const { code, message, errors } = toAppError(error);
          if (code === "INTERNAL_ERROR") {
            context.logger.error({ err: error, requestId: context.requestId }, "A tool failed");
          }
          return { code, message, errors };
        },
      });
    },
    // Nothing here changes by itself, so there is nothing to listen to.
    { maxSubscriptions: 0 },
  );

  /** A page of another site, by DNS rebinding too, has an origin that is not ours. */
  function assertOrigin(req: IncomingMessage): void {
    const { origin } = req.headers;
    if (origin !== undefined && !origins.has(origin)) {
      throw new AppError({
        code: "CROSS_ORIGIN",
        publicMessage: "Pages of other sites may not call this address.",
      });
    }
  }

  function unauthenticated(parts: Readonly<Record<string, string>>): AppError {
    return new AppError({
      code: "UNAUTHENTICATED",
      publicMessage:
        "Send an API key with management scopes, or an access token for this address, in the header Authorization: Bearer.",
      headers: {
        "www-authenticate": challenge(metadataUrl, { ...parts, scope: TOOL_SCOPES.join(" ") }),
      },
    });
  }

  function insufficientScope(scope: string, message: string): AppError {
    return new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: message,
      extensions: { requiredScope: scope },
      headers: {
        "www-authenticate": challenge(metadataUrl, { error: "insufficient_scope", scope }),
      },
    });
  }

  async function authenticate(req: IncomingMessage, context: HttpContext): Promise<Agent> {
    const credential = bearerCredential(req);
    if (credential === undefined) {
      throw unauthenticated({});
    }
    const agent = await deps.findAgent(credential, () => context.clientAddress());
    if (agent === undefined) {
      throw unauthenticated({ error: "invalid_token" });
    }
    if (!TOOL_SCOPES.some((scope) => agent.scopes.has(scope))) {
      throw insufficientScope(
        TOOL_SCOPES.join(" "),
        "This credential has none of the scopes that tools need, such as usage:read.",
      );
    }
    return agent;
  }

  async function serve({ req, res, context }: RawCall): Promise<void> {
    assertOrigin(req);
    const agent = await authenticate(req, context);
    deps.takeRequest(agent);
    let body: unknown;
    if (req.method === "POST") {
      assertJsonType(req);
      body = parseJson(await readBody(req, BODY_BYTES_MAX), BODY_BOUNDS);
    }
    if (Array.isArray(body)) {
      // It would be many calls for the price, and by the scope, of one.
      throw new AppError({ code: "INVALID_REQUEST", publicMessage: "Send one message at a time." });
    }
    if (!isNamedAlike(req, body)) {
      const message = "The headers Mcp-Method and Mcp-Name must say what the body says.";
      const error = { code: HEADER_MISMATCH, message };
      sendJson(res, 400, { jsonrpc: "2.0", id: null, error });
      return;
    }
    const scope = scopeOfTool(namedTool(body) ?? "");
    if (!holds(agent, scope)) {
      throw insufficientScope(scope ?? "", `This tool needs the scope ${scope ?? ""}.`);
    }
    const request = toWebRequest(req, resource);
    calls.set(request, { agent, context });
    const options = body === undefined ? {} : { parsedBody: body };
    const answer = await deps.inTurn(nameSender(agent.actor), async () => {
      const response = await handler.fetch(request, options);
      return { response, whole: await readWhole(response, res) };
    });
    send(res, answer.response, answer.whole);
  }

  const sendMetadata: RawRoute["handle"] = ({ res }) => {
    // Public: a client in a page reads it before it has a credential.
    res.setHeader("access-control-allow-origin", "*");
    sendJson(res, 200, {
      resource,
      resource_name: deps.brandName,
      authorization_servers: [deps.authorizationServer],
      scopes_supported: TOOL_SCOPES,
      bearer_methods_supported: ["header"],
      resource_documentation: `${deps.consoleUrl}/docs/agents`,
    });
  };

  return [
    ...(["POST", "GET", "DELETE"] as const).map((method) => ({
      method,
      path: MCP_PATH,
      handle: serve,
    })),
    { method: "GET", path: METADATA_PATH, handle: sendMetadata },
    { method: "GET", path: METADATA_PATH + MCP_PATH, handle: sendMetadata },
  ];
}
