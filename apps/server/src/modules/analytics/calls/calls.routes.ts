import { implement } from "@orpc/server";
import { callsContract } from "@turnpike/contract/calls";
import type { HttpContext } from "#http/http-context.ts";
import { type FindCallsDeps, getCall, listCalls } from "./find-calls.ts";

export function createCallsRoutes(deps: FindCallsDeps) {
  const os = implement(callsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listCalls(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getCall(deps, context.call(), input)),
  });
}
