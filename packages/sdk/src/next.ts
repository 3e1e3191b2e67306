import type { Turnpike } from "./create-turnpike.ts";
import { type Caller, guardCall, type RoutePolicy } from "./guard-call.ts";
import { copyGuardedCall } from "./guarded-call.ts";
import { cleanWebRequest, readWebRequest, toWebResponse, withHeaders } from "./web-request.ts";

/** A route handler of Next behind the wrapper; `turnpike` is the caller. */
export type GuardedHandler<Incoming extends Request, Context> = (
  request: Incoming,
  context: Context & { turnpike: Caller },
) => Response | Promise<Response>;

/**
 * Wraps a route handler of Next's app router, and any other function from a request to a response: refuses calls as the
 * gateway does, takes the key out of the others and gives the handler who calls as `context.turnpike`. Next does not know where
 * a call comes from: keys that are bound to networks need `policy.address`.
 *
 * A handler that takes the context of its route names both types: `{ params, turnpike }: { params: Promise<…>; turnpike: Caller }`.
 * Preflights go to `OPTIONS`, which stays unwrapped; Next answers those that have no handler.
 */
export function turnpikeNext<Incoming extends Request, Context = object>(
  turnpike: Turnpike,
  handler: GuardedHandler<Incoming, Context>,
  policy: RoutePolicy<Incoming> = {},
) {
  // A handler that names the type of its context names `turnpike` there, which Next does not give.
  return async (request: Incoming, context: Omit<Context, "turnpike">): Promise<Response> => {
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
    copyGuardedCall(turnpike, { from: request, to: cleaned });
    const whole = { ...context, turnpike: guarded.caller } as Context & { turnpike: Caller };
    const response = await handler(cleaned, whole);
    return withHeaders(response, guarded.headers);
  };
}
