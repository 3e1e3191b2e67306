import type { Tx } from "@turnpike/db/client";
import { type CallContext, isTenantProgram, mayInTenant } from "@turnpike/domain/access/actor";
import { isReservedScope } from "@turnpike/domain/access/custom-scopes";
import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toCanonicalNetwork } from "@turnpike/domain/keys/networks";
import type { KeyQuota } from "@turnpike/domain/limits/key-quota";
import { findQuotaFault, listMeterRows } from "#modules/catalog/index.ts";
import { findEntitlement } from "#modules/entitlements/index.ts";
import type { KeyRow } from "./keys.store.ts";

/** Why a revoked key cannot be changed. */
export const REVOKED_KEY_UNCHANGEABLE = "A revoked key cannot be changed. Create a new one.";

/** True for a scope that the actor could use themselves in the tenant. */
function holdsScope({ actor }: CallContext, tenantId: TenantId, name: string): boolean {
  const scope = SCOPES.find((known) => known === name);
  if (scope !== undefined) {
    return mayInTenant(actor, scope, tenantId);
  }
  // The operator's own scopes belong to the plan, so any actor who may write keys can give them. A key or an agent is one program, and
  // gives only scopes that it carries.
  return !isTenantProgram(actor) || actor.scopes.some((held) => held === name);
}

/** Why the actor may not give these scopes in the key's tenant; `undefined` when they hold them all. */
export function findScopeNotHeld(
  context: CallContext,
  tenantId: TenantId,
  scopes: readonly string[],
): string | undefined {
  const missing = scopes.find((name) => !holdsScope(context, tenantId, name));
  return missing === undefined
    ? undefined
    : `You cannot give a key a scope that you do not have: ${missing}.`;
}

/**
 * Refuses scopes that the actor does not hold in the key's tenant.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export function assertScopesHeld(
  context: CallContext,
  tenantId: TenantId,
  scopes: readonly string[],
): void {
  const publicMessage = findScopeNotHeld(context, tenantId, scopes);
  if (publicMessage !== undefined) {
    throw new AppError({ code: "INSUFFICIENT_SCOPE", publicMessage });
  }
}

type KeyReach = Pick<KeyRow, "disabled_at" | "expires_at" | "allowed_networks">;

/** True when a change lets a key work again, for longer, or from more networks. */
export function isReachExtended(before: KeyReach, after: KeyReach): boolean {
  const isEnabled = before.disabled_at !== null && after.disabled_at === null;
  const livesLonger =
    before.expires_at !== null &&
    (after.expires_at === null || after.expires_at > before.expires_at);
  const isWider =
    before.allowed_networks.length > 0 &&
    (after.allowed_networks.length === 0 ||
      after.allowed_networks.some((network) => !before.allowed_networks.includes(network)));
  return isEnabled || livesLonger || isWider;
}

/**
 * Allows management scopes, and those of the operator's own API that the tenant's plan includes.
 *
 * @param input.kept - Scopes that the key already has; they stay even when the plan no longer allows them.
 * @throws {AppError} `INVALID_REQUEST` naming every other scope.
 */
export async function assertScopesAllowed(
  tx: Tx,
  tenantId: TenantId,
  input: { scopes: readonly string[]; kept: readonly string[] },
): Promise<void> {
  const { scopes, kept } = input;
  const custom = scopes.filter(
    (name) => !(kept.includes(name) || TENANT_KEY_SCOPES.some((known) => known === name)),
  );
  if (custom.length === 0) {
    return;
  }
  const entitlement = await findEntitlement(tx, tenantId);
  const allowed = entitlement?.terms.scopes ?? [];
  const errors = scopes.flatMap((name, index) =>
    custom.includes(name) && !allowed.includes(name)
      ? [
          {
            pointer: `/scopes/${String(index)}`,
            message: isReservedScope(name)
              ? `A tenant's key cannot have ${name}, only ${TENANT_KEY_SCOPES.join(", ")}.`
              : `The plan ${entitlement?.terms.name ?? ""} does not allow ${name}.`,
          },
        ]
      : [],
  );
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
}

/** @throws {AppError} `INVALID_REQUEST` when the instant is not in the future. */
export function parseExpiry(expiresAt: string | null | undefined, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) {
    return null;
  }
  const expiry = new Date(expiresAt);
  if (expiry <= now) {
    const message = "Must be in the future.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The expiry must be in the future.",
      errors: [{ pointer: "/expiresAt", message }],
    });
  }
  return expiry;
}

/**
 * Writes networks in their canonical form, each once.
 *
 * @returns `undefined` for `undefined`.
 * @throws {AppError} `INVALID_REQUEST` naming every invalid entry.
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
  const meters = await listMeterRows(tx);
  const errors = quotas.flatMap((quota, index) => {
    const message = findQuotaFault(meters, quota.meter);
    return message === undefined ? [] : [{ pointer: `/quotas/${String(index)}/meter`, message }];
  });
  if (errors[0] !== undefined) {
    throw new AppError({ code: "INVALID_REQUEST", publicMessage: errors[0].message, errors });
  }
}
