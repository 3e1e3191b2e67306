import { implement } from "@orpc/server";
import { creditsContract, grantingContract } from "@turnpike/contract/credits";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { buyCredit } from "./buy-credit.ts";
import { getCredits } from "./get-credits.ts";
import { grantCredit, previewCredit } from "./grant-credit.ts";
import { listCreditEntries } from "./list-credit-entries.ts";
import { putCreditAlerts } from "./put-credit-alerts.ts";
import { revokeCredit } from "./revoke-credit.ts";
import { deleteAutomaticTopUp, putAutomaticTopUp } from "./set-automatic-top-up.ts";

export function createCreditsRoutes(deps: BillingDeps) {
  const os = implement(creditsContract).$context<HttpContext>();
  return os.router({
    getCredits: os.getCredits.handler(({ input, context }) =>
      getCredits(deps, context.call(), input),
    ),
    listCreditEntries: os.listCreditEntries.handler(({ input, context }) =>
      listCreditEntries(deps, context.call(), input),
    ),
    buyCredit: os.buyCredit.handler(({ input, context }) => buyCredit(deps, context.call(), input)),
    putAutomaticTopUp: os.putAutomaticTopUp.handler(({ input, context }) =>
      putAutomaticTopUp(deps, context.call(), input),
    ),
    putCreditAlerts: os.putCreditAlerts.handler(({ input, context }) =>
      putCreditAlerts(deps, context.call(), input),
    ),
    deleteAutomaticTopUp: os.deleteAutomaticTopUp.handler(({ input, context }) =>
      deleteAutomaticTopUp(deps, context.call(), input),
    ),
  });
}

export function createGrantingRoutes(deps: BillingDeps) {
  const os = implement(grantingContract).$context<HttpContext>();
  return os.router({
    previewCredit: os.previewCredit.handler(({ input, context }) =>
      previewCredit(deps, context.call(), input),
    ),
    grantCredit: os.grantCredit.handler(({ input, context }) =>
      grantCredit(deps, context.call(), input),
    ),
    revokeCredit: os.revokeCredit.handler(({ input, context }) =>
      revokeCredit(deps, context.call(), input),
    ),
  });
}
