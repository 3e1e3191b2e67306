import type { Sso, SsoConnectionInput } from "@turnpike/contract/sso";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { endSignIns } from "#modules/identity/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { shareOf } from "#platform/transact.ts";
import { createOidcProtocol } from "./protocol/oidc.ts";
import { readSamlMetadata, type SamlSettings } from "./protocol/read-saml-metadata.ts";
import { SsoError } from "./protocol/sso-error.ts";
import { forgetIdentities } from "./sign-in/sso-identities.store.ts";
import type { SsoDeps } from "./sso.ports.ts";
import {
  type ConnectionRow,
  findConnection,
  type OidcConnectionRow,
  upsertConnection,
} from "./sso-connections.store.ts";
import { listBoundAccountIds, listDomains } from "./sso-domains.store.ts";
import { readSso } from "./to-sso-reply.ts";

function invalid(pointer: string, message: string, cause?: unknown): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer: `/connection${pointer}`, message }],
    cause,
  });
}

function asInvalid(pointer: string) {
  return (error: unknown): never => {
    throw error instanceof SsoError ? invalid(pointer, error.message, error) : error;
  };
}

type Protocol =
  | (Pick<OidcConnectionRow, "protocol" | "issuer" | "client_id"> & {
      newSecret: string | undefined;
    })
  | ({ protocol: "saml" } & { metadata: SamlSettings | undefined });

/** Reads what the provider publishes, before a transaction is open. */
async function readProvider(deps: SsoDeps, connection: SsoConnectionInput): Promise<Protocol> {
  if (connection.protocol === "saml") {
    const { metadata } = connection;
    try {
      return {
        protocol: "saml",
        metadata: metadata === undefined ? undefined : readSamlMetadata(metadata),
      };
    } catch (error) {
      return asInvalid("/metadata")(error);
    }
  }
  const { issuer, clientId, clientSecret } = connection;
  await createOidcProtocol(deps)
    .check({ issuer, clientId, clientSecret })
    .catch(asInvalid("/issuer"));
  const newSecret = clientSecret === undefined ? undefined : await deps.sealer.seal(clientSecret);
  return { protocol: "oidc", issuer, client_id: clientId, newSecret };
}

function toProtocolColumns(before: ConnectionRow | undefined, read: Protocol) {
  if (read.protocol === "saml") {
    const known = before?.protocol === "saml" ? before : undefined;
    if (read.metadata === undefined && known === undefined) {
      throw invalid("/metadata", "Add the metadata of the identity provider.");
    }
    return {
      protocol: "saml" as const,
      entity_id: read.metadata?.entityId ?? known?.entity_id ?? "",
      sign_in_url: read.metadata?.signInUrl ?? known?.sign_in_url ?? "",
      certificates: read.metadata?.certificates ?? known?.certificates ?? [],
    };
  }
  // A secret belongs to its issuer and client: it is never sent to another one.
  const isSame =
    before?.protocol === "oidc" &&
    before.issuer === read.issuer &&
    before.client_id === read.client_id;
  return {
    protocol: "oidc" as const,
    issuer: read.issuer,
    client_id: read.client_id,
    client_secret: read.newSecret ?? (isSame ? before.client_secret : null),
  };
}

/** True when another provider names the people from now on: the names of the one before mean nothing to it. */
function isAnotherProvider(before: ConnectionRow, after: Partial<ConnectionRow>): boolean {
  if (before.protocol === "oidc") {
    return after.protocol !== "oidc" || before.issuer !== after.issuer;
  }
  return after.protocol !== "saml" || before.entity_id !== after.entity_id;
}

/** People who must sign in by it from now on do so at once: what their password opened is closed. */
async function endOtherSignIns(deps: SsoDeps, tx: Tx, tenantId: TenantId): Promise<void> {
  for (const accountId of await listBoundAccountIds(tx, tenantId)) {
    await endSignIns(deps, tx, { accountId, why: "sso_required" });
  }
}

/**
 * Sets up or changes the identity provider of a tenant. Its metadata are read first. Another provider than before knows no one yet.
 *
 * @throws {AppError} `INVALID_REQUEST` when its metadata cannot be used; `CONFLICT` when it shall be required and no domain is proven;
 *   `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` without `sso:write`.
 */
export async function putConnection(
  deps: SsoDeps,
  context: CallContext,
  { tenantId, connection }: { tenantId: TenantId; connection: SsoConnectionInput },
): Promise<Sso> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  if (!deps.isOffered) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "Single sign-on needs the built-in sign-in, which is switched off here.",
    });
  }
  const read = await readProvider(deps, connection);
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    const before = await findConnection(tx, tenantId);
    const isProven = (await listDomains(tx, tenantId)).some((row) => row.verified_at !== null);
    if (connection.required && !isProven) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: "Prove a domain before you require its people to sign in here.",
      });
    }
    const now = deps.clock.now();
    const row = {
      tenant_id: tenantId,
      ...toProtocolColumns(before, read),
      name: connection.name,
      default_role: connection.defaultRole,
      enabled: connection.enabled,
      required: connection.required,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    await upsertConnection(tx, row);
    if (before !== undefined && isAnotherProvider(before, row)) {
      await forgetIdentities(tx, tenantId);
    }
    const isNewlyBound = row.enabled && row.required && !(before?.enabled && before.required);
    if (isNewlyBound) {
      await endOtherSignIns(deps, tx, tenantId);
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: before === undefined ? "sso.set_up" : "sso.changed",
      entityType: "sso_connection",
      entityId: tenantId,
      details: {
        protocol: row.protocol,
        provider: row.protocol === "oidc" ? row.issuer : row.entity_id,
        enabled: row.enabled,
        required: row.required,
        defaultRole: row.default_role,
      },
    });
    return await readSso(tx, tenantId, deps.consoleUrl);
  }, shareOf(context.actor));
}
