import type { Turnpike } from "./create-turnpike.ts";
import { type Caller, guardCall, type RoutePolicy } from "./guard-call.ts";
import {
  cleanNodeRequest,
  type NodeRequest,
  type NodeResponse,
  readNodeRequest,
} from "./node-request.ts";

declare global {
  // biome-ignore lint/style/noNamespace: the one place where Express declares what middleware adds
  namespace Express {
    interface Request {
      /** The caller; undefined where the middleware did not run, and for preflights. */
      turnpike?: Caller;
    }
  }
}

/** What this needs of a request. After the middleware it has `turnpike`, except for preflights. */
export type MiddlewareRequest = NodeRequest & {
  /** Express reads it from the connection, or from a proxy that `trust proxy` names. */
  ip?: string | undefined;
  /** The whole target: `url` is what is left of it behind the path where a router is mounted. */
  originalUrl?: string | undefined;
  turnpike?: Caller;
};

/** What a policy may read where the request has no better type; `unknown` values are as the caller sent them. */
export type ExpressRequest = MiddlewareRequest &
  Express.Request & {
    method: string;
    url: string;
    path: string;
    query: Record<string, unknown>;
    params: Record<string, string | string[]>;
    body: unknown;
    get(name: string): string | undefined;
  };

/**
 * Middleware that any program of Node's may call. `turnpikeExpress` makes it for two requests at once: by that of its policy the
 * compiler finds the type where the place says it, and by the plain one a route keeps the types of its own parameters.
 */
export type ExpressMiddleware<Request> = (
  request: Request,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Makes middleware for Express and everything else with `(req, res, next)`: refuses calls as the gateway does, takes the key
 * out of the others and puts who calls on `req.turnpike`.
 *
 * Name `trust proxy` in Express when a proxy is in front, or keys bound to networks see the proxy's address.
 *
 * @param policy - Of the routes behind it; use it several times for routes that differ. Where guards of one client run after
 *   one another, each is passed by what it asks itself, and the call costs what the guard says that asks most, of each meter.
 */
export function turnpikeExpress<Request extends MiddlewareRequest = ExpressRequest>(
  turnpike: Turnpike,
  policy: RoutePolicy<Request> = {},
): ExpressMiddleware<Request> & ExpressMiddleware<MiddlewareRequest> {
  /** @returns True when the call goes on, false when it has its answer. */
  const guard = async (request: MiddlewareRequest, response: NodeResponse): Promise<boolean> => {
    // The caller mounted it on such requests, and only the caller knows what its policy reads of them.
    const call = readNodeRequest(request as Request, request.ip);
    const guarded = await guardCall(turnpike, policy, {
      ...call,
      target: request.originalUrl ?? call.target,
    });
    if (guarded.kind === "denied") {
      if (response.headersSent === true) {
        return false;
      }
      response.statusCode = guarded.reply.status;
      setHeaders(response, guarded.reply.headers);
      response.end(guarded.reply.body);
      return false;
    }
    cleanNodeRequest(request, guarded);
    if (guarded.kind === "pass") {
      request.turnpike = guarded.caller;
      setHeaders(response, guarded.headers);
    }
    return true;
  };
  return (request: MiddlewareRequest, response: NodeResponse, next: (error?: unknown) => void) => {
    // What comes next may throw, and must not be called for its own error.
    guard(request, response).then((goesOn) => {
      if (goesOn) {
        next();
      }
    }, next);
  };
}

/** The program's own CORS headers win: they may allow credentials, which `*` would forbid. */
function setHeaders(response: NodeResponse, headers: Record<string, string>): void {
  // A timeout of the program may have answered meanwhile.
  if (response.headersSent === true) {
    return;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!(name.startsWith("access-control-") && response.hasHeader(name))) {
      response.setHeader(name, value);
    }
  }
}
