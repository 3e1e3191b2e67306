import { implement } from "@orpc/server";
import { proposalsContract } from "@turnpike/contract/proposals";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "#modules/billing/index.ts";
import { acceptProposal, declineProposal } from "./decide-proposal.ts";
import { listProposals } from "./list-proposals.ts";
import { proposeChange } from "./propose-change.ts";

export function createProposalsRoutes(deps: BillingDeps) {
  const os = implement(proposalsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listProposals(deps, context.call(), input)),
    create: os.create.handler(({ input, context }) => proposeChange(deps, context.call(), input)),
    accept: os.accept.handler(({ input, context }) => acceptProposal(deps, context.call(), input)),
    decline: os.decline.handler(({ input, context }) =>
      declineProposal(deps, context.call(), input),
    ),
  });
}
