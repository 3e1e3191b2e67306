import { implement } from "@orpc/server";
import { customersContract } from "@turnpike/contract/customers";
import type { HttpContext } from "#http/http-context.ts";
import type { WithPlans } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listCustomers } from "./list-customers.ts";

export function createCustomersRoutes(deps: Pick<AppServices, "transact"> & WithPlans) {
  const os = implement(customersContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listCustomers(deps, context.call(), input)),
  });
}
