import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import type { TenantEndDeps } from "./delete-tenant.ts";
import { purgeTenants } from "./purge-tenants.ts";

export function createTenantsJobs(deps: TenantEndDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "tenants.purge",
      cron: "47 * * * *",
      run: (attempt) => purgeTenants(deps, attempt),
    }),
  ];
}
