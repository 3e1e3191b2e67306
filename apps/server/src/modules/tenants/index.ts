export { createActingRoutes } from "./acting/acting.routes.ts";
export { createTenant } from "./create-tenant.ts";
export { deleteTenant } from "./delete-tenant.ts";
export { admitByDirectory, directoryContext, removeByDirectory } from "./directory-members.ts";
export { listHeldRoles } from "./find-role.ts";
export { findTenantByExternalId, getTenantByName } from "./find-tenant.ts";
export { getTenant } from "./get-tenant.ts";
export { toHeldRole } from "./held-role.ts";
export { joinBySso } from "./join-by-sso.ts";
export { listDeletedTenants } from "./list-deleted-tenants.ts";
export { listMembers } from "./list-members.ts";
export { listTenants } from "./list-tenants.ts";
export { createLogosRawRoutes, createLogosRoutes } from "./logo/logo.routes.ts";
export { logoFiles } from "./logo/logo.store.ts";
export { createLogoDrawer, type LogoDrawer } from "./logo/logo-drawer.ts";
export { type MemberNotice, mailMembers } from "./mail-members.ts";
export { isMemberElsewhere, listRoleEmails } from "./members.store.ts";
export { type NoticeSettings, type NotifyDeps, notifyMembers } from "./notify-members.ts";
export { notifyOperators } from "./notify-operators.ts";
export { createPersonTenants } from "./person-tenants.ts";
export { putMember } from "./put-member.ts";
export {
  DEMO_EXTERNAL_ID_PREFIX,
  listDemoTenants,
  removeDemoTenant,
} from "./remove-demo-tenant.ts";
export { removeMember } from "./remove-member.ts";
export { restoreTenant } from "./restore-tenant.ts";
export { roleDirectory } from "./role-directory.ts";
export { createOwnershipRoutes, createRolesRoutes } from "./roles.routes.ts";
export { tellOfChange } from "./tell-of-change.ts";
export { createTenantsJobs } from "./tenants.jobs.ts";
export type {
  DirectoryArrivals,
  MemberKeys,
  TenantPlan,
  TenantPlans,
  TenantResource,
} from "./tenants.ports.ts";
export {
  createInvitationsRoutes,
  createSignInRawRoutes,
  createTenantsRoutes,
} from "./tenants.routes.ts";
export { findTenantRow } from "./tenants.store.ts";
export { findTenantEvent, listTenantReplies, type WithPlans } from "./to-tenant-reply.ts";
export { updateTenant } from "./update-tenant.ts";
export { withdrawInvitationsOfProgram } from "./withdraw-invitations.ts";
