import type { Turnpike } from "./create-turnpike.ts";
import { type Caller, guardCall, type RoutePolicy } from "./guard-call.ts";
import { cleanWebRequest, readWebRequest, toWebResponse, withHeaders } from "./web-request.ts";

/** For `new Hono<TurnpikeEnv>()`: `c.get("turnpike")` is the caller. */
export type TurnpikeEnv = { Variables: { turnpike: Caller } };

/** What this needs of a context of Hono. */
export type MiddlewareContext = {
  req: { raw: Request };
  res: Response;
  set(name: "turnpike", value: Caller): void;
  header(name: string, value: string): void;
};

/** What a policy may decide by where nothing says more of the context. */
export type HonoContext = MiddlewareContext & {
  req: {
    method: string;
    url: string;
    path: string;
    header(name: string): string | undefined;
    query(name: string): string | undefined;
    param(name: string): string | undefined;
  };
};

/**
 * Makes middleware for Hono: refuses calls as the gateway does, takes the key out of the others and sets who calls as the
 * variable `turnpike`. Hono does not know where a call comes from: keys that are bound to networks need `policy.address`.
 *
 * @param policy - Of the routes behind it. Where guards of one client run one after another, each is passed by what it asks
 *   itself, and the call costs what the guard says that asks most, of each meter.
 */
export function turnpikeHono<Context extends MiddlewareContext = HonoContext>(
  turnpike: Turnpike,
  policy: RoutePolicy<Context> = {},
) {
  return async (
    context: MiddlewareContext,
    next: () => Promise<void>,
  ): Promise<Response | undefined> => {
    // For the compiler it takes any context, so that routes keep the types of their own parameters; Hono gives it whole ones.
    const call = readWebRequest(context.req.raw, context as Context, undefined);
    const guarded = await guardCall(turnpike, policy, call);
    if (guarded.kind === "denied") {
      return toWebResponse(guarded.reply);
    }
    context.req.raw = cleanWebRequest(context.req.raw, guarded);
    if (guarded.kind === "preflight") {
      await next();
      return;
    }
    context.set("turnpike", guarded.caller);
    for (const [name, value] of Object.entries(guarded.headers)) {
      context.header(name, value);
    }
    await next();
    // Hono puts them on what its context makes; a handler may also return an answer of its own, or that of a `fetch`.
    const answer = withHeaders(context.res, guarded.headers);
    if (answer !== context.res) {
      context.res = answer;
    }
    return;
  };
}
