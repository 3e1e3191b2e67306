import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import type { PurgeDeps } from "./delete-tenant.ts";
import { purgeTenants } from "./purge-tenants.ts";

export function createTenantsJobs(deps: PurgeDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "tenants.purge",
      cron: "47 * * * *",
      run: (attempt) => purgeTenants(deps, attempt),
    }),
  ];
}
