import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { findCatalogFaults, findUnapplied, seedCatalog } from "#modules/catalog/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { isInstalled } from "#platform/postgres-cluster.ts";
import type { Config } from "./config.ts";
import { toCatalogError } from "./config-file.ts";

/**
 * Finds mistakes in the section `catalog` before anything of a new installation is made, so that none is left behind empty. Of
 * one that is there the database is asked, which may know more meters.
 *
 * @throws {StartupError} `CONFIG_INVALID`.
 */
export async function assertCatalogFits(config: Config): Promise<void> {
  const path = config.catalogFile;
  if (path === undefined || (await isInstalled(config.dataFolder))) {
    return;
  }
  const faults = findCatalogFaults(config.catalog, []);
  if (faults.length > 0) {
    throw toCatalogError(path, faults);
  }
}

/**
 * Publishes the configured catalogue in an empty database.
 *
 * @throws {StartupError} `CONFIG_INVALID` when it cannot be: the author of the file can fix it.
 */
export async function seedConfigured(
  services: AppServices,
  context: CallContext,
  config: Config,
): Promise<void> {
  try {
    await seedCatalog(services, context, config.catalog);
  } catch (error) {
    const path = config.catalogFile;
    if (!(error instanceof AppError) || path === undefined) {
      throw error;
    }
    const whole = [{ pointer: "", message: error.message }];
    throw toCatalogError(path, error.errors.length === 0 ? whole : error.errors);
  }
}

/** Otherwise an edit of the section after the first start would silently do nothing. */
export async function warnOfUnapplied(services: AppServices, config: Config): Promise<void> {
  const path = config.catalogFile;
  if (path === undefined) {
    return;
  }
  const { differing, faults } = await findUnapplied(services, config.catalog);
  if (differing.length > 0) {
    services.logger.warn(
      { file: path, differing, ...(faults.length === 0 ? {} : { faults }) },
      `The section catalog of the configuration differs from what is published and has no effect; publish it with: turnpike catalog apply ${path}`,
    );
  }
}
