export { createTenant } from "./create-tenant.ts";
export { deleteTenant } from "./delete-tenant.ts";
export { findTenantByExternalId, getTenantByName } from "./find-tenant.ts";
export { getTenant, listTenants } from "./get-tenant.ts";
export { mailMembers } from "./mail-members.ts";
export { listMembers, putMember, removeMember } from "./manage-members.ts";
export { listDeletedTenants, restoreTenant } from "./restore-tenant.ts";
export { roleDirectory } from "./role-directory.ts";
export { tellOperators } from "./tell-operators.ts";
export { type NoticeSettings, type TellDeps, tellTenant } from "./tell-tenant.ts";
export { createTenantsJobs } from "./tenants.jobs.ts";
export type { MemberKeys, TenantPlan, TenantPlans, TenantResource } from "./tenants.ports.ts";
export {
  createInvitationsRoutes,
  createSignInRawRoutes,
  createTenantsRoutes,
} from "./tenants.routes.ts";
export { findTenantEvent } from "./to-tenant-reply.ts";
export { updateTenant } from "./update-tenant.ts";
