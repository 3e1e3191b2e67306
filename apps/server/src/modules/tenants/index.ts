export { createTenant } from "./create-tenant.ts";
export { findTenantByExternalId, getTenantByName } from "./find-tenant.ts";
export { getTenant, listTenants } from "./get-tenant.ts";
export { listMembers, putMember, removeMember } from "./manage-members.ts";
export { roleDirectory } from "./role-directory.ts";
export { type NoticeSettings, type TellDeps, tellTenant } from "./tell-tenant.ts";
export type { MemberKeys, PlanDirectory } from "./tenants.ports.ts";
export {
  createInvitationsRoutes,
  createSignInRawRoutes,
  createTenantsRoutes,
} from "./tenants.routes.ts";
export { updateTenant } from "./update-tenant.ts";
