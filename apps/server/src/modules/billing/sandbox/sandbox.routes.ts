import { implement } from "@orpc/server";
import { sandboxContract } from "@turnpike/contract/sandbox";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { advanceClock } from "./advance-clock.ts";
import { getClock } from "./get-clock.ts";

export function createSandboxRoutes(deps: BillingDeps) {
  const os = implement(sandboxContract).$context<HttpContext>();
  return os.router({
    getClock: os.getClock.handler(({ input, context }) => getClock(deps, context.call(), input)),
    advanceClock: os.advanceClock.handler(({ input, context }) =>
      advanceClock(deps, context.call(), input),
    ),
  });
}
