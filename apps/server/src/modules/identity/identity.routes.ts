import { implement } from "@orpc/server";
import { setupContract } from "@turnpike/contract/auth";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type AttemptLimits, toNetwork } from "./attempts/attempt-limits.ts";
import { claimSetup } from "./setup/claim-setup.ts";
import { checkSetupCode } from "./setup/setup-code.ts";

export function createSetupRoutes(deps: AppServices & { attempts: AttemptLimits }) {
  const os = implement(setupContract).$context<HttpContext>();
  return os.router({
    check: os.check.handler(async ({ input, context }) => {
      const attempt = { network: toNetwork(context.clientAddress()) };
      await deps.attempts.take("link", attempt);
      const valid = await checkSetupCode(deps, input);
      if (valid) {
        // Reloading the page of a valid link does not count as guessing.
        deps.attempts.giveBack("link", attempt);
      }
      return { valid };
    }),
    claim: os.claim.handler(({ input, context }) => claimSetup(deps, context.call(), input)),
  });
}
