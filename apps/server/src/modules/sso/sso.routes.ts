import { implement } from "@orpc/server";
import { ssoContract } from "@turnpike/contract/sso";
import type { HttpContext } from "#http/http-context.ts";
import { getSso } from "./get-sso.ts";
import { addDomain, removeDomain, verifyDomain } from "./manage-domains.ts";
import { putConnection } from "./put-connection.ts";
import { removeConnection } from "./remove-connection.ts";
import type { SsoDeps } from "./sso.ports.ts";

export function createSsoRoutes(deps: SsoDeps) {
  const os = implement(ssoContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ input, context }) => getSso(deps, context.call(), input)),
    put: os.put.handler(({ input, context }) => putConnection(deps, context.call(), input)),
    remove: os.remove.handler(({ input, context }) =>
      removeConnection(deps, context.call(), input),
    ),
    addDomain: os.addDomain.handler(({ input, context }) => addDomain(deps, context.call(), input)),
    verifyDomain: os.verifyDomain.handler(({ input, context }) =>
      verifyDomain(deps, context.call(), input),
    ),
    removeDomain: os.removeDomain.handler(({ input, context }) =>
      removeDomain(deps, context.call(), input),
    ),
  });
}
