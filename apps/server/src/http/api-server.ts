import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Actor, CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { NewId } from "@turnpike/domain/ids/ids";
import {
  findClientAddress,
  type TrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";
import type { Logger } from "#platform/logger.ts";
import type { RecentRequests } from "#platform/loop-watch.ts";
import { authenticate, type FindActor, unauthenticated } from "./authenticate.ts";
import type { ContractHandler } from "./contract-handler.ts";
import { DueAnswers } from "./due-answers.ts";
import { HotRequest } from "./hot-body.ts";
import type { HttpContext } from "./http-context.ts";
import { type ProblemRenderer, sendProblem, toAppError } from "./problem-details.ts";
import { ClientLeftError, type RawRoute, setBaseHeaders } from "./raw-route.ts";
import { createRouteTable } from "./route-table.ts";
import { serveWithoutUpgrade } from "./serve-without-upgrade.ts";
import type { TakeWrite } from "./write-budget.ts";

/** Takes every request under a prefix, regardless of its method: a server within this one. */
export type Mount = {
  /** Such as `/idp`: takes this path and what is below it. */
  prefix: string;
  handle(req: IncomingMessage, res: ServerResponse): Promise<void> | void;
};

export type ApiServerDeps = {
  mounts: readonly Mount[];
  rawRoutes: readonly RawRoute[];
  contract: ContractHandler;
  /** Serves the built console; false when no file has that path. */
  serveConsole(req: IncomingMessage, res: ServerResponse): boolean;
  findActor: FindActor;
  renderProblem: ProblemRenderer;
  newId: NewId;
  logger: Logger;
  corsOrigins: readonly string[];
  trustedProxies: TrustedProxies;
  /** Called for each request that may change something, other than those of hot routes, which have limits of their own. */
  takeWrite: TakeWrite;
  recent: RecentRequests;
};

const PREFLIGHT_SECONDS = "600";
/**
 * Longer than any answer takes and than the pause between the heartbeats of streams, so that no one is reading any more. Also
 * longer than the minute for which load balancers keep a connection: the side that sends requests should close it.
 */
const SILENT_CONNECTION_MS = 65_000;

function resourceNotFound(): AppError {
  return new AppError({
    code: "RESOURCE_NOT_FOUND",
    publicMessage: "There is nothing at this address.",
  });
}

const DOT_SEGMENT = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** A proxy in front and the router must read a path alike, or the router serves what the proxy refuses. */
function assertOneReading(path: string): void {
  if (DOT_SEGMENT.test(path)) {
    throw new AppError({
      code: "AMBIGUOUS_PATH",
      publicMessage: "This path can be read in more than one way.",
    });
  }
}

/**
 * Refuses a body in codings that not every program reads alike, before anything is done: Node's parser refuses some of them as
 * well, but hands the request on first. And a request that names no host: an answer of Node's own would be none of the
 * {@link DueAnswers}.
 */
function assertOneRequest({ headers, httpVersion }: IncomingMessage): void {
  const coding = headers["transfer-encoding"];
  const isCodingKnown = coding === undefined || coding.toLowerCase() === "chunked";
  if (!isCodingKnown || (headers.host === undefined && httpVersion !== "1.0")) {
    throw new AppError({
      code: "MALFORMED_REQUEST",
      publicMessage: isCodingKnown
        ? "The Host header is missing."
        : "Only Transfer-Encoding: chunked is understood.",
      headers: { connection: "close" },
    });
  }
}

/** Answers pages of other sites: only configured origins may read the API. */
function applyCors(req: IncomingMessage, res: ServerResponse, origins: readonly string[]): boolean {
  const { origin } = req.headers;
  if (origins.length > 0) {
    // Also on answers that other origins may not read: a cache in between must not serve them.
    res.setHeader("vary", "Origin");
  }
  if (origin === undefined || !origins.includes(origin)) {
    return false;
  }
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("access-control-expose-headers", "Retry-After, X-Request-Id, Idempotency-Replayed");
  if (req.method !== "OPTIONS" || req.headers["access-control-request-method"] === undefined) {
    return false;
  }
  res.writeHead(204, {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers":
      "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, If-Match",
    "access-control-max-age": PREFLIGHT_SECONDS,
  });
  res.end();
  return true;
}

/** What routes know about a request. */
class RequestContext implements HttpContext {
  readonly requestId: string;
  readonly #deps: Pick<ApiServerDeps, "logger" | "trustedProxies">;
  readonly #req: IncomingMessage;
  readonly #actor: Actor | undefined;

  constructor(
    deps: Pick<ApiServerDeps, "logger" | "trustedProxies">,
    req: IncomingMessage,
    who: { actor: Actor | undefined; requestId: string },
  ) {
    this.#deps = deps;
    this.#req = req;
    this.#actor = who.actor;
    this.requestId = who.requestId;
  }

  get logger(): Logger {
    return this.#deps.logger;
  }

  call(): CallContext {
    if (this.#actor === undefined) {
      throw unauthenticated();
    }
    return { actor: this.#actor, requestId: this.requestId };
  }

  findCall(): CallContext | undefined {
    return this.#actor === undefined
      ? undefined
      : { actor: this.#actor, requestId: this.requestId };
  }

  clientAddress(): string {
    return addressOf(this.#req, this.#deps);
  }
}

function addressOf(req: IncomingMessage, deps: Pick<ApiServerDeps, "trustedProxies">): string {
  return findClientAddress({
    peer: toCanonicalAddress(req.socket.remoteAddress ?? "") ?? "",
    forwardedFor: req.headersDistinct["x-forwarded-for"]?.join(","),
    trusted: deps.trustedProxies,
  });
}

/** True for the methods that change nothing. */
function isReading(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  path: string;
  requestId: string;
  /** Answers an error. */
  fail(error: unknown): void;
};

/** Makes the listener for people: hot routes on plain node:http first, then the contract, then the console's files. */
export function createApiServer(deps: ApiServerDeps): Server {
  const findRoute = createRouteTable(deps.rawRoutes);

  function logFailure(error: unknown, context: { requestId: string }): void {
    const failure = toAppError(error);
    if (failure.code === "INTERNAL_ERROR") {
      deps.logger.error({ err: error, requestId: context.requestId }, "A request failed");
    }
  }

  /** Only the API reads credentials: health must answer while the database that knows them is away. */
  function findCaller({ req, path }: Exchange): Actor | undefined | Promise<Actor> {
    return path.startsWith("/v1/")
      ? authenticate(req, deps.findActor, () => addressOf(req, deps))
      : undefined;
  }

  function toContext({ req, requestId }: Exchange, actor: Actor | undefined): HttpContext {
    return new RequestContext(deps, req, { actor, requestId });
  }

  /** Answers a request of a raw route, synchronously when nothing has to be awaited. */
  function serveRaw(
    found: { route: RawRoute; params: Readonly<Record<string, string>> },
    exchange: Exchange,
  ): Promise<void> | void {
    const { req, res, fail } = exchange;
    const { route, params } = found;
    const serve = (actor: Actor | undefined) => {
      if (route.isHot !== true && !isReading(req.method)) {
        deps.takeWrite(actor);
      }
      return route.handle({ req, res, params, context: toContext(exchange, actor), fail });
    };
    const actor = findCaller(exchange);
    return actor instanceof Promise ? actor.then(serve) : serve(actor);
  }

  /** Answers by the contract, else with a file of the console. */
  async function serveRest(exchange: Exchange, allowRaw: readonly string[]): Promise<void> {
    const { req, res, path } = exchange;
    if (path.startsWith("/v1/")) {
      assertOneReading(path);
      const caller = await findCaller(exchange);
      if (!isReading(req.method)) {
        deps.takeWrite(caller);
      }
      const context = toContext(exchange, caller);
      if (await deps.contract.serve(req, res, context)) {
        return;
      }
    }
    const allow = new Set([...allowRaw, ...deps.contract.methodsOf(path)]);
    if (allow.size > 0) {
      const methods = [...allow].join(", ");
      throw new AppError({
        code: "METHOD_NOT_ALLOWED",
        publicMessage: `This address takes ${methods}.`,
        headers: { allow: methods },
      });
    }
    const isPage = req.method === "GET" || req.method === "HEAD";
    if (path.startsWith("/v1/") || path === "/v1" || !isPage || !deps.serveConsole(req, res)) {
      throw resourceNotFound();
    }
  }

  function answer({ req, res, requestId, fail }: Omit<Exchange, "path">): Promise<void> | void {
    assertOneRequest(req);
    const target = req.url ?? "/";
    const queryAt = target.indexOf("?");
    const path = queryAt === -1 ? target : target.slice(0, queryAt);
    const found = findRoute(req.method ?? "GET", path);
    const exchange = { req, res, path, requestId, fail };
    // Not called by a page, so CORS does not apply, and the route writes its headers in one piece.
    if (found.kind === "found" && found.route.isHot === true && req.headers.origin === undefined) {
      return serveRaw(found, exchange);
    }
    setBaseHeaders(res, requestId);
    if (!target.startsWith("/") || target.startsWith("//")) {
      throw resourceNotFound();
    }
    const mount = deps.mounts.find(
      ({ prefix }) => path === prefix || path.startsWith(`${prefix}/`),
    );
    if (mount !== undefined) {
      return mount.handle(req, res);
    }
    // A mount decides by itself which origins may read it; the configured origins are those of the API.
    if (applyCors(req, res, deps.corsOrigins)) {
      return;
    }
    return found.kind === "found"
      ? serveRaw(found, exchange)
      : serveRest(exchange, found.kind === "other_method" ? found.allow : []);
  }

  const due = new DueAnswers();
  const server = createServer(
    {
      headersTimeout: 10_000,
      // Uploads are small, and this does not limit answers such as streams.
      requestTimeout: 60_000,
      connectionsCheckingInterval: 2_000,
      // One limit for silence regardless of what came before: a second one between two calls would be set and cleared by each call.
      keepAliveTimeout: 0,
      maxHeaderSize: 16 * 1024,
      // Checked here, like the rest of a request.
      requireHostHeader: false,
      noDelay: true,
      shouldUpgradeCallback: due.mayUpgrade,
      IncomingMessage: HotRequest,
    },
    (req, res) => {
      if (!due.add(res)) {
        return;
      }
      deps.recent.note(req);
      const requestId = deps.newId("request");
      const fail = (error: unknown): void => {
        if (error instanceof ClientLeftError) {
          res.destroy();
          return;
        }
        logFailure(error, { requestId });
        if (!res.headersSent) {
          setBaseHeaders(res, requestId);
        }
        sendProblem(res, deps.renderProblem(error, requestId));
      };
      try {
        answer({ req, res, requestId, fail })?.catch(fail);
      } catch (error) {
        fail(error);
      }
    },
  );
  server.timeout = SILENT_CONNECTION_MS;
  server.on("clientError", due.onClientError);
  // Nothing here speaks another protocol. Programs offer one all the same, such as Java's HttpClient with each call.
  server.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) =>
    serveWithoutUpgrade(server, { req, socket, head }),
  );
  server.on("checkExpectation", (_req, res: ServerResponse) => {
    if (!due.add(res)) {
      return;
    }
    const error = new AppError({
      code: "EXPECTATION_FAILED",
      publicMessage: "This expectation cannot be met.",
    });
    const requestId = deps.newId("request");
    setBaseHeaders(res, requestId);
    sendProblem(res, deps.renderProblem(error, requestId));
  });
  return server;
}
