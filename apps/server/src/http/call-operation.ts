import { type AnyRouter, call, isLazy, isProcedure } from "@orpc/server";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { StorageGuard } from "#platform/storage-guard.ts";
import { assertRoom, fromContractError } from "./contract-handler.ts";
import type { HttpContext } from "./http-context.ts";
import type { TakeWrite } from "./write-budget.ts";

/** Calls an operation of the contract within this process, with all that its schemas and its use case check. */
export type CallOperation = (
  /** Such as `usage.query`. */
  id: string,
  who: CallContext,
  request: { context: HttpContext; input: unknown },
) => Promise<unknown>;

function tenantIn(input: unknown): string | undefined {
  const named =
    typeof input === "object" && input !== null ? Reflect.get(input, "tenantId") : undefined;
  return typeof named === "string" ? named : undefined;
}

/** Acts as one caller within a request that another one, or none, has sent. */
function actAs(who: CallContext, context: HttpContext): HttpContext {
  return {
    requestId: who.requestId,
    logger: context.logger,
    clientAddress: () => context.clientAddress(),
    call: () => who,
    findCall: () => who,
  };
}

/**
 * @param deps - What a call over HTTP would count against as well.
 * @returns A function that throws what the API would answer: an `AppError` for every refusal.
 */
export function createOperationCaller(
  router: AnyRouter,
  deps: { takeWrite: TakeWrite; assertMayStore: StorageGuard["assertMayStore"] },
): CallOperation {
  function find(id: string) {
    let found: unknown = router;
    for (const name of id.split(".")) {
      found = typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
    }
    if (!isProcedure(found) || isLazy(found)) {
      throw new Error(`No operation is named ${id}.`);
    }
    return found;
  }

  return async (id, who, { context, input }) => {
    const procedure = find(id);
    const { method = "POST", path = "" } = procedure["~orpc"].route;
    if (method !== "GET") {
      deps.takeWrite(who.actor);
      await assertRoom(deps.assertMayStore, who.actor, {
        operation: { method, path, meta: procedure["~orpc"].meta },
        tenantId: tenantIn(input),
      });
    }
    try {
      return await call(procedure, input, { context: actAs(who, context) });
    } catch (error) {
      throw fromContractError(error);
    }
  };
}
