import type { Tx } from "@turnpike/db/client";
import { type CallContext, mayInTenant } from "@turnpike/domain/access/actor";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toCanonicalNetwork } from "@turnpike/domain/keys/networks";
import type { KeyQuota } from "@turnpike/domain/limits/key-quota";
import { listMeterRows } from "#modules/catalog/index.ts";

/**
 * Lets nobody give a key what they do not hold themselves in its tenant.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export function assertScopesHeld(
  { actor }: CallContext,
  tenantId: TenantId,
  scopes: readonly string[],
): void {
  const missing = scopes.find((name) => {
    const scope = SCOPES.find((known) => known === name);
    return scope === undefined || !mayInTenant(actor, scope, tenantId);
  });
  if (missing !== undefined) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: `Nobody can give a key a scope that they do not have: ${missing}.`,
    });
  }
}

/** @throws {AppError} `INVALID_REQUEST` when the instant is not in the future. */
export function parseExpiry(expiresAt: string | null | undefined, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) {
    return null;
  }
  const expiry = new Date(expiresAt);
  if (expiry <= now) {
    const message = "Must lie in the future.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The expiry must lie in the future.",
      errors: [{ pointer: "/expiresAt", message }],
    });
  }
  return expiry;
}

/**
 * Writes networks in their canonical form, each once.
 *
 * @returns `undefined` for `undefined`: nothing was asked for.
 * @throws {AppError} `INVALID_REQUEST` naming every entry that is no network.
 */
export function parseNetworks(networks: readonly string[] | undefined): string[] | undefined {
  if (networks === undefined) {
    return;
  }
  const canonical = networks.map(toCanonicalNetwork);
  const errors = canonical.flatMap((network, index) =>
    network === undefined
      ? [
          {
            pointer: `/allowedNetworks/${String(index)}`,
            message: "Not an address or a range such as 192.0.2.0/24 or 2001:db8::/32.",
          },
        ]
      : [],
  );
  if (errors.length > 0) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "A network is not an address or a range.",
      errors,
    });
  }
  return [...new Set(canonical.filter((network) => network !== undefined))];
}

/** @throws {AppError} `INVALID_REQUEST` naming every quota of a meter that does not exist. */
export async function assertMetersExist(tx: Tx, quotas: readonly KeyQuota[]): Promise<void> {
  if (quotas.length === 0) {
    return;
  }
  const known = new Set((await listMeterRows(tx)).map((meter) => meter.meterId));
  const errors = quotas.flatMap((quota, index) =>
    known.has(quota.meter)
      ? []
      : [
          {
            pointer: `/quotas/${String(index)}/meter`,
            message: `There is no meter ${quota.meter}.`,
          },
        ],
  );
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
}
