import { readAddresses } from "#platform/addresses-file.ts";
import type { Config } from "../config.ts";
import { type PublicUrls, toPublicUrls } from "../public-urls.ts";

/** How people and programs reach the installation: as configured, or else where its newest start listened. */
export async function readOwnUrls(config: Config): Promise<PublicUrls> {
  const started = await readAddresses(config.dataFolder).catch(() => undefined);
  const ports = { people: config.port, programs: config.gatewayPort };
  const { console, gateway } = started ?? toPublicUrls(config, ports);
  return {
    console: config.publicUrls.console ?? console,
    gateway: config.publicUrls.gateway ?? gateway,
  };
}
