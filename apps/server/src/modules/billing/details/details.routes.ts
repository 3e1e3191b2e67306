import { implement } from "@orpc/server";
import { billingDetailsContract, customerTaxContract } from "@turnpike/contract/billing-details";
import type { HttpContext } from "#http/http-context.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { setExemption, setTaxIdStatus } from "./decide-tax-of-customer.ts";
import { getBillingDetails } from "./get-billing-details.ts";
import { putBillingDetails } from "./put-billing-details.ts";

export function createBillingDetailsRoutes(deps: BillingDeps) {
  const os = implement(billingDetailsContract).$context<HttpContext>();
  return os.router({
    getBillingDetails: os.getBillingDetails.handler(({ input, context }) =>
      getBillingDetails(deps, context.call(), input),
    ),
    putBillingDetails: os.putBillingDetails.handler(({ input, context }) =>
      putBillingDetails(deps, context.call(), input),
    ),
  });
}

export function createCustomerTaxRoutes(deps: BillingDeps) {
  const os = implement(customerTaxContract).$context<HttpContext>();
  return os.router({
    setTaxIdStatus: os.setTaxIdStatus.handler(({ input, context }) =>
      setTaxIdStatus(deps, context.call(), input),
    ),
    setExemption: os.setExemption.handler(({ input, context }) =>
      setExemption(deps, context.call(), input),
    ),
  });
}
