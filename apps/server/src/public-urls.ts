import type { Config } from "./config.ts";

/** Where people and programs reach the product; without a slash at the end. */
export type PublicUrls = { console: string; gateway: string };

function displayHost(host: string): string {
  const isAny = host === "0.0.0.0" || host === "::";
  const isLoopback = host === "127.0.0.1" || host === "::1";
  if (isAny || isLoopback) {
    return "localhost";
  }
  return host.includes(":") ? `[${host}]` : host;
}

/** The addresses that the configuration names, or else those of this machine and the given ports. */
export function toPublicUrls(
  config: Config,
  ports: { people: number; programs: number },
): PublicUrls {
  const host = displayHost(config.listen.host);
  return {
    console: config.publicUrls.console ?? `http://${host}:${String(ports.people)}`,
    gateway: config.publicUrls.gateway ?? `http://${host}:${String(ports.programs)}`,
  };
}
