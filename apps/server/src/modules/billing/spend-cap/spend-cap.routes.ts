import { implement } from "@orpc/server";
import { operatorSpendCapContract, spendCapContract } from "@turnpike/contract/spend-cap";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { putSpendCap, setOperatorSpendCap } from "./change-spend-cap.ts";
import { getSpendCap } from "./get-spend-cap.ts";

export function createSpendCapRoutes(deps: BillingDeps) {
  const os = implement(spendCapContract).$context<HttpContext>();
  return os.router({
    getSpendCap: os.getSpendCap.handler(({ input, context }) =>
      getSpendCap(deps, context.call(), input),
    ),
    putSpendCap: os.putSpendCap.handler(({ input, context }) =>
      putSpendCap(deps, context.call(), input),
    ),
    deleteSpendCap: os.deleteSpendCap.handler(({ input, context }) =>
      putSpendCap(deps, context.call(), { ...input, amount: null }),
    ),
  });
}

export function createOperatorSpendCapRoutes(deps: BillingDeps) {
  const os = implement(operatorSpendCapContract).$context<HttpContext>();
  return os.router({
    setOperatorSpendCap: os.setOperatorSpendCap.handler(({ input, context }) =>
      setOperatorSpendCap(deps, context.call(), input),
    ),
  });
}
