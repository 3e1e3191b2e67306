import { implement } from "@orpc/server";
import { ownershipContract } from "@turnpike/contract/ownership";
import { rolesContract } from "@turnpike/contract/roles";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { deleteRole } from "./delete-role.ts";
import { listRoles } from "./list-roles.ts";
import { type TransferDeps, transferTenant } from "./transfer-tenant.ts";
import { createRole, updateRole } from "./write-role.ts";

export function createOwnershipRoutes(deps: TransferDeps) {
  const os = implement(ownershipContract).$context<HttpContext>();
  return os.router({
    transfer: os.transfer.handler(({ input, context }) =>
      transferTenant(deps, context.call(), input),
    ),
  });
}

export function createRolesRoutes(deps: AppServices) {
  const os = implement(rolesContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listRoles(deps, context.call(), input)),
    create: os.create.handler(({ input, context }) => createRole(deps, context.call(), input)),
    update: os.update.handler(({ input, context }) => updateRole(deps, context.call(), input)),
    delete: os.delete.handler(({ input, context }) => deleteRole(deps, context.call(), input)),
  });
}
