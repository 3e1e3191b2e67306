import type { IncomingMessage, ServerResponse } from "node:http";
import { implement } from "@orpc/server";
import { scimContract } from "@turnpike/contract/scim";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import type { HttpContext } from "#http/http-context.ts";
import { toAppError } from "#http/problem-details.ts";
import { ClientLeftError, readBody } from "#http/raw-route.ts";
import type { AttemptLimits } from "#modules/identity/index.ts";
import { parseJson } from "#platform/parse-json.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import { createAnswerDirectory, type ScimAnswer, type ScimExchange } from "./answer-directory.ts";
import { authenticateDirectory } from "./authenticate-directory.ts";
import { keepScimRequest } from "./keep-scim-request.ts";
import { createScimToken, getScim, revokeScimToken } from "./manage-scim.ts";
import { attributeOf, isObject } from "./protocol/read-attributes.ts";
import { ScimError } from "./protocol/scim-error.ts";
import { type Directory, SCIM_PATH, type ScimDeps } from "./scim-deps.ts";

/** What owners do with the tokens of their directory. */
export function createScimRoutes(deps: ScimDeps) {
  const os = implement(scimContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ input, context }) => getScim(deps, context.call(), input)),
    createToken: os.createToken.handler(({ input, context }) =>
      createScimToken(deps, context.call(), input),
    ),
    revokeToken: os.revokeToken.handler(({ input, context }) =>
      revokeScimToken(deps, context.call(), input),
    ),
  });
}

export type ScimMountDeps = ScimDeps & {
  attempts: AttemptLimits;
  /** The network that a request comes from. */
  networkOf(req: IncomingMessage): string;
  assertMayStore: StorageGuard["assertMayStore"];
  /** Takes one request from the budget of a tenant. @throws {AppError} */
  takeRequest(tenantId: Directory["tenantId"]): void;
};

/** A thousand members of a group are 150 kB. */
const BODY_BYTES_MAX = 512 * 1024;
const SCIM_JSON = "application/scim+json";
const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The name in the body of a person or a group. */
function namedIn(body: unknown): string | undefined {
  const name = isObject(body)
    ? (attributeOf(body, "userName") ?? attributeOf(body, "displayName"))
    : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Answers directories under `/scim/v2`: SCIM 2.0 (RFC 7643, RFC 7644) outside the contract, with errors of its own form. */
export function createScimMount(deps: ScimMountDeps) {
  const baseUrl = `${deps.consoleUrl}${SCIM_PATH}`;
  const answer = createAnswerDirectory(deps);

  async function identify(req: IncomingMessage, requestId: string): Promise<Directory> {
    const tenantId = await authenticateDirectory(deps, req.headers.authorization);
    if (tenantId === undefined) {
      await deps.attempts.take("directory", { network: deps.networkOf(req) });
      throw new ScimError(401, "The token is missing or not valid.", {
        headers: { "www-authenticate": "Bearer" },
      });
    }
    deps.takeRequest(tenantId);
    return { tenantId, requestId };
  }

  /** For the owners: changes, and what was refused. A directory that looks for what is not there is no news. */
  async function note(
    { directory, method, parts }: ScimExchange,
    outcome: { status: number; subject?: string | undefined; detail?: string | undefined },
  ): Promise<void> {
    const isLooking = method === "GET" || parts.at(-1) === ".search";
    if (isLooking && (outcome.status < 400 || outcome.status === 404)) {
      return;
    }
    await keepScimRequest(deps, directory, {
      operation: `${method} /${parts[0] ?? ""}`,
      ...outcome,
    });
  }

  function toScimError(error: unknown, requestId: string): ScimError {
    if (error instanceof ScimError) {
      return error;
    }
    const failure = toAppError(error);
    if (failure.code === "INTERNAL_ERROR") {
      deps.logger.error({ err: error, requestId }, "A request of a directory failed");
    }
    const { headers } = failure;
    return failure.code === "INVALID_REQUEST"
      ? new ScimError(400, failure.message, { scimType: "invalidSyntax", headers })
      : new ScimError(ERROR_CODES[failure.code].status, failure.message, { headers });
  }

  function send(res: ServerResponse, { status, body, headers }: ScimAnswer): void {
    if (body === undefined) {
      res.writeHead(status, { "cache-control": "no-store", ...headers });
      res.end();
      return;
    }
    const text = JSON.stringify(body);
    res.writeHead(status, {
      "content-type": SCIM_JSON,
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(text),
      ...headers,
    });
    res.end(res.req.method === "HEAD" ? undefined : text);
  }

  function sendError(res: ServerResponse, { status, message, scimType, headers }: ScimError): void {
    const body = {
      schemas: [ERROR_SCHEMA],
      status: String(status),
      ...(scimType !== undefined && { scimType }),
      detail: message,
    };
    send(res, { status, body, headers });
  }

  async function readScimBody(req: IncomingMessage): Promise<unknown> {
    const type = req.headers["content-type"] ?? "";
    if (!/^application\/(?:scim\+)?json\s*(?:;|$)/i.test(type)) {
      throw new ScimError(415, `The body must be ${SCIM_JSON}.`);
    }
    return parseJson(await readBody(req, BODY_BYTES_MAX));
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = String(res.getHeader("x-request-id") ?? deps.newId("request"));
    const url = new URL(req.url ?? "/", baseUrl);
    const method = req.method ?? "GET";
    const parts = url.pathname
      .slice(SCIM_PATH.length)
      .split("/")
      .filter((part) => part !== "");
    let exchange: ScimExchange | undefined;
    try {
      const directory = await identify(req, requestId);
      exchange = {
        ...{ directory, method, parts },
        query: url.searchParams,
        subject: parts[1],
        readBody: async () => {
          const body = await readScimBody(req);
          if (exchange !== undefined) {
            exchange.subject = namedIn(body) ?? exchange.subject;
          }
          return body;
        },
      };
      const given = await answer(exchange);
      await note(exchange, { status: given.status, subject: given.subject });
      send(res, given);
    } catch (error) {
      if (error instanceof ClientLeftError) {
        throw error;
      }
      const refusal = toScimError(error, requestId);
      if (exchange !== undefined && refusal.status !== 429 && refusal.status < 500) {
        await note(exchange, {
          status: refusal.status,
          subject: exchange.subject,
          detail: refusal.message,
        }).catch((cause: unknown) =>
          deps.logger.warn({ err: cause, requestId }, "a refusal was not noted"),
        );
      }
      sendError(res, refusal);
    }
  }

  return { prefix: SCIM_PATH, handle: serve };
}
