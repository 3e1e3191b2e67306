import { implement } from "@orpc/server";
import { adviceContract } from "@turnpike/contract/advice";
import { nameSenderIn } from "@turnpike/domain/access/actor";
import type { HttpContext } from "#http/http-context.ts";
import type { Queue } from "#modules/analytics/index.ts";
import { type AdviceDeps, advisePlans } from "./advise-plans.ts";

export function createAdviceRoutes(deps: AdviceDeps & { inTurn: Queue }) {
  const os = implement(adviceContract).$context<HttpContext>();
  return os.router({
    plans: os.plans.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        advisePlans(deps, call, input),
      );
    }),
  });
}
