import { AppError } from "@turnpike/domain/errors/app-error";
import { scanInstallation } from "./installation/scan-installation.ts";
import type { ScanDeps } from "./scan-tenant.ts";
import { scanTenants } from "./scan-tenants.ts";

/** Looks at all tenants together, then at each. @returns How many tenants were looked at. */
export async function scanAll(deps: ScanDeps, signal: AbortSignal): Promise<number> {
  try {
    await scanInstallation(deps);
  } catch (error) {
    // Too much to sum: the tenants are still looked at, and the next hour tries again.
    if (!(error instanceof AppError)) {
      throw error;
    }
    deps.logger.warn({ err: error }, "The insights of the installation were not updated");
  }
  return await scanTenants(deps, signal);
}
