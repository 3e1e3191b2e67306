import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";

type Common = {
  tenant_id: TenantId;
  name: string;
  default_role: Exclude<Role, "owner">;
  enabled: boolean;
  required: boolean;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
  last_failed_at: Date | null;
  last_failure: string | null;
};

export type OidcConnectionRow = Common & {
  protocol: "oidc";
  issuer: string;
  client_id: string;
  /** Encrypted; null for a public client. */
  client_secret: string | null;
};

export type SamlConnectionRow = Common & {
  protocol: "saml";
  entity_id: string;
  sign_in_url: string;
  /** In PEM. */
  certificates: string[];
};

export type ConnectionRow = OidcConnectionRow | SamlConnectionRow;

const SETTINGS = [
  "protocol",
  "name",
  "default_role",
  "enabled",
  "required",
  "issuer",
  "client_id",
  "client_secret",
  "entity_id",
  "sign_in_url",
  "certificates",
  "updated_at",
] as const;

/** Everything here needs the operator role. */
export async function findConnection(
  tx: Tx,
  tenantId: TenantId,
): Promise<ConnectionRow | undefined> {
  // The join leaves out deleted tenants: their people sign in no more.
  const [row] = await tx<ConnectionRow[]>`
    select c.* from sso_connections c join tenants using (tenant_id) where c.tenant_id = ${tenantId}`;
  return row;
}

export async function upsertConnection(tx: Tx, row: Partial<ConnectionRow>): Promise<void> {
  const blank = {
    issuer: null,
    client_id: null,
    client_secret: null,
    entity_id: null,
    sign_in_url: null,
    certificates: null,
  };
  const full = { ...blank, ...row };
  await tx`
    insert into sso_connections ${tx(full, "tenant_id", ...SETTINGS, "created_at")}
    on conflict (tenant_id) do update set ${tx(full, ...SETTINGS)}, last_failed_at = null, last_failure = null`;
}

export async function deleteConnection(tx: Tx, tenantId: TenantId): Promise<boolean> {
  const rows = await tx`
    delete from sso_connections where tenant_id = ${tenantId} returning 1`;
  return rows.length === 1;
}

export async function noteUse(tx: Tx, tenantId: TenantId, now: Date): Promise<void> {
  await tx`
    update sso_connections set last_used_at = ${now}, last_failed_at = null, last_failure = null
    where tenant_id = ${tenantId}`;
}

export async function noteFailure(
  tx: Tx,
  input: { tenantId: TenantId; reason: string; now: Date },
): Promise<void> {
  await tx`
    update sso_connections set last_failed_at = ${input.now}, last_failure = ${input.reason}
    where tenant_id = ${input.tenantId}`;
}

/** The connection for people with addresses of a domain: enabled, of a tenant that proved the domain. */
export async function findConnectionOfDomain(
  tx: Tx,
  domain: string,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx<ConnectionRow[]>`
    select c.* from sso_connections c
    join tenants using (tenant_id)
    join sso_domains d using (tenant_id)
    where d.domain = ${domain} and d.verified_at is not null and c.enabled`;
  return row;
}

export async function findConnectionOfSlug(
  tx: Tx,
  slug: string,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx<ConnectionRow[]>`
    select c.* from sso_connections c join tenants t using (tenant_id)
    where t.slug = ${slug} and c.enabled`;
  return row;
}
