import { implement } from "@orpc/server";
import { callsContract } from "@turnpike/contract/calls";
import { nameSender } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import { type SearchCallLogDeps, searchCallLog } from "../call-log/search-call-log.ts";
import type { Queue } from "../queries/queue-queries.ts";
import { type FindCallsDeps, getCall, listCalls } from "./find-calls.ts";

export function createCallsRoutes(deps: FindCallsDeps & SearchCallLogDeps & { inTurn: Queue }) {
  const os = implement(callsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listCalls(deps, context.call(), input)),
    listAll: os.listAll.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSender(call.actor), () => searchCallLog(deps, call, input));
    }),
    get: os.get.handler(({ input, context }) => getCall(deps, context.call(), input)),
  });
}
