import type { Turnpike } from "./create-turnpike.ts";
import { type Caller, guardCall, type RoutePolicy } from "./guard-call.ts";
import { cleanWebRequest, readWebRequest, toWebResponse } from "./web-request.ts";

/** A route handler of Next behind the wrapper; `turnpike` is who calls. */
export type GuardedHandler<Incoming extends Request, Context> = (
  request: Incoming,
  context: Context & { turnpike: Caller },
) => Response | Promise<Response>;

/**
 * Wraps a route handler of Next's app router, and any other function from a request to a response: refuses calls as the
 * gateway does, takes the key out of the others and gives the handler who calls as `context.turnpike`. Next does not know where
 * a call comes from: keys that are bound to networks need `policy.address`.
 *
 * Preflights go to `OPTIONS`, which stays unwrapped; Next answers those that have no handler.
 */
export function turnpikeNext<Incoming extends Request, Context = object>(
  turnpike: Turnpike,
  handler: GuardedHandler<Incoming, Context>,
  policy: RoutePolicy<Incoming> = {},
) {
  return async (request: Incoming, context: Context): Promise<Response> => {
    const call = readWebRequest(request, request, undefined);
    const guarded = await guardCall(turnpike, policy, call);
    if (guarded.kind === "denied") {
      return toWebResponse(guarded.reply);
    }
    if (guarded.kind === "preflight") {
      return new Response(null, { status: 204 });
    }
    // A copy loses what Next adds to a request, but a request of Next's can be changed and is not copied.
    const cleaned = cleanWebRequest(request, guarded) as Incoming;
    const response = await handler(cleaned, { ...context, turnpike: guarded.caller });
    return withHeaders(response, guarded.headers);
  };
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  const copy = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) {
    copy.headers.set(name, value);
  }
  return copy;
}
