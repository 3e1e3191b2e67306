import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { NewId } from "@turnpike/domain/ids/ids";
import {
  findClientAddress,
  type TrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";
import type { Logger } from "#platform/logger.ts";
import { authenticate, type FindActor, unauthenticated } from "./authenticate.ts";
import type { ContractHandler } from "./contract-handler.ts";
import type { HttpContext } from "./http-context.ts";
import { type ProblemRenderer, sendProblem, toAppError } from "./problem-details.ts";
import type { RawRoute } from "./raw-route.ts";
import { createRouteTable } from "./route-table.ts";

/** Takes every request under a prefix, whatever its method: a server of its own within this one. */
export type Mount = {
  /** Such as `/idp`: takes this path and what is below it. */
  prefix: string;
  handle(req: IncomingMessage, res: ServerResponse): Promise<void> | void;
};

export type ApiServerDeps = {
  mounts: readonly Mount[];
  rawRoutes: readonly RawRoute[];
  contract: ContractHandler;
  /** Serves the built console; false when the path is none of its files. */
  serveConsole(req: IncomingMessage, res: ServerResponse): boolean;
  findActor: FindActor;
  renderProblem: ProblemRenderer;
  newId: NewId;
  logger: Logger;
  corsOrigins: readonly string[];
  trustedProxies: TrustedProxies;
};

const PREFLIGHT_SECONDS = "600";

function resourceNotFound(): AppError {
  return new AppError({
    code: "RESOURCE_NOT_FOUND",
    publicMessage: "There is nothing at this address.",
  });
}

const DOT_SEGMENT = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** A proxy in front and the router behind must read a path alike: else what the one refuses, the other does. */
function assertOneReading(path: string): void {
  if (DOT_SEGMENT.test(path)) {
    throw new AppError({
      code: "AMBIGUOUS_PATH",
      publicMessage: "This path can be read in more than one way.",
    });
  }
}

/** The answer to a page of another site: only the configured ones may read the API. */
function applyCors(req: IncomingMessage, res: ServerResponse, origins: readonly string[]): boolean {
  const { origin } = req.headers;
  if (origins.length > 0) {
    // Also on what another origin may not read: a cache in between must not hand it on.
    res.setHeader("vary", "Origin");
  }
  if (origin === undefined || !origins.includes(origin)) {
    return false;
  }
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "Retry-After, X-Request-Id");
  if (req.method !== "OPTIONS" || req.headers["access-control-request-method"] === undefined) {
    return false;
  }
  res.writeHead(204, {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "Authorization, Content-Type, Last-Event-ID, If-Match",
    "access-control-max-age": PREFLIGHT_SECONDS,
  });
  res.end();
  return true;
}

/** Makes the listener for people: hot routes on plain node:http first, then the contract, then the console's files. */
export function createApiServer(deps: ApiServerDeps): Server {
  const findRoute = createRouteTable(deps.rawRoutes);

  function logFailure(error: unknown, context: { requestId: string }): void {
    const failure = toAppError(error);
    if (failure.code === "INTERNAL_ERROR") {
      deps.logger.error({ err: error, requestId: context.requestId }, "A request failed");
    }
  }

  async function createContext(
    req: IncomingMessage,
    input: { path: string; requestId: string },
  ): Promise<HttpContext> {
    const { requestId } = input;
    // Only the API looks at credentials: health must answer while the database that knows them is away.
    const actor = input.path.startsWith("/v1/")
      ? await authenticate(req, deps.findActor)
      : undefined;
    return {
      requestId,
      logger: deps.logger,
      call: (): CallContext => {
        if (actor === undefined) {
          throw unauthenticated();
        }
        return { actor, requestId };
      },
      findCall: () => (actor === undefined ? undefined : { actor, requestId }),
      clientAddress: () =>
        findClientAddress({
          peer: toCanonicalAddress(req.socket.remoteAddress ?? "") ?? "",
          forwardedFor: req.headersDistinct["x-forwarded-for"]?.join(","),
          trusted: deps.trustedProxies,
        }),
    };
  }

  async function serveApi(
    req: IncomingMessage,
    res: ServerResponse,
    input: { path: string; requestId: string },
  ): Promise<boolean> {
    const found = findRoute(req.method ?? "GET", input.path);
    if (found.kind === "found") {
      const context = await createContext(req, input);
      await found.route.handle({ req, res, params: found.params, context });
      return true;
    }
    if (input.path.startsWith("/v1/")) {
      assertOneReading(input.path);
      const context = await createContext(req, input);
      if (await deps.contract.serve(req, res, context)) {
        return true;
      }
    }
    const allow = new Set([
      ...(found.kind === "other_method" ? found.allow : []),
      ...deps.contract.methodsOf(input.path),
    ]);
    if (allow.size > 0) {
      const methods = [...allow].join(", ");
      throw new AppError({
        code: "METHOD_NOT_ALLOWED",
        publicMessage: `This address takes ${methods}.`,
        headers: { allow: methods },
      });
    }
    return false;
  }

  async function answer(
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
  ): Promise<void> {
    res.setHeader("x-request-id", requestId);
    res.setHeader("x-content-type-options", "nosniff");
    res.setHeader("referrer-policy", "no-referrer");
    const target = req.url ?? "/";
    if (!target.startsWith("/") || target.startsWith("//")) {
      throw resourceNotFound();
    }
    const queryAt = target.indexOf("?");
    const path = queryAt === -1 ? target : target.slice(0, queryAt);
    const mount = deps.mounts.find(
      ({ prefix }) => path === prefix || path.startsWith(`${prefix}/`),
    );
    if (mount !== undefined) {
      await mount.handle(req, res);
      return;
    }
    // What is mounted decides for itself whom it lets read; the configured origins are those of the API.
    if (applyCors(req, res, deps.corsOrigins)) {
      return;
    }
    if (await serveApi(req, res, { path, requestId })) {
      return;
    }
    const isPage = req.method === "GET" || req.method === "HEAD";
    if (path.startsWith("/v1/") || path === "/v1" || !isPage || !deps.serveConsole(req, res)) {
      throw resourceNotFound();
    }
  }

  const server = createServer(
    {
      headersTimeout: 10_000,
      // Uploads are small; streams are answers, which this does not limit.
      requestTimeout: 60_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      noDelay: true,
    },
    (req, res) => {
      const requestId = deps.newId("request");
      answer(req, res, requestId).catch((error: unknown) => {
        logFailure(error, { requestId });
        sendProblem(res, deps.renderProblem(error, requestId));
      });
    },
  );
  server.on("checkExpectation", (_req, res: ServerResponse) => {
    const error = new AppError({
      code: "EXPECTATION_FAILED",
      publicMessage: "This expectation cannot be met.",
    });
    sendProblem(res, deps.renderProblem(error, deps.newId("request")));
  });
  return server;
}
