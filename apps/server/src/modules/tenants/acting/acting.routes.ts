import { implement } from "@orpc/server";
import { actingContract } from "@turnpike/contract/acting";
import type { HttpContext } from "#http/http-context.ts";
import { type ActingDeps, endActing, getActing, startActing } from "./act-in-tenant.ts";

export function createActingRoutes(deps: ActingDeps) {
  const os = implement(actingContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ context }) => getActing(deps, context.call())),
    start: os.start.handler(({ input, context }) => startActing(deps, context.call(), input)),
    end: os.end.handler(({ context }) => endActing(deps, context.call())),
  });
}
