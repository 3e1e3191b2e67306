import { implement } from "@orpc/server";
import { tenantsContract } from "@turnpike/contract/tenants";
import type { HttpContext } from "#http/http-context.ts";
import { listAudit } from "#modules/audit/index.ts";
import { ensureUser } from "#modules/identity/index.ts";
import { type CreateTenantDeps, createTenant } from "./create-tenant.ts";
import { getTenant, listTenants } from "./get-tenant.ts";
import { listMembers, putMember, removeMember } from "./manage-members.ts";
import { updateTenant } from "./update-tenant.ts";

export function createTenantsRoutes(deps: CreateTenantDeps) {
  const os = implement(tenantsContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) => createTenant(deps, context.call(), input)),
    list: os.list.handler(({ input, context }) => listTenants(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getTenant(deps, context.call(), input)),
    update: os.update.handler(({ input, context }) => updateTenant(deps, context.call(), input)),
    listMembers: os.listMembers.handler(({ input, context }) =>
      listMembers(deps, context.call(), input),
    ),
    putMember: os.putMember.handler(({ input, context }) => putMember(deps, context.call(), input)),
    removeMember: os.removeMember.handler(({ input, context }) =>
      removeMember(deps, context.call(), input),
    ),
    ensureUser: os.ensureUser.handler(({ input, context }) =>
      ensureUser(deps, context.call(), input),
    ),
    listAudit: os.listAudit.handler(({ input, context }) => listAudit(deps, context.call(), input)),
  });
}
