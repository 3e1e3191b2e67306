import { createHash, X509Certificate } from "node:crypto";
import type { Sso, SsoConnection, SsoDomain } from "@turnpike/contract/sso";
import type { Tx } from "@turnpike/db/client";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findTenantRow } from "#modules/tenants/index.ts";
import { toServiceAddresses } from "./service-addresses.ts";
import { type ConnectionRow, findConnection } from "./sso-connections.store.ts";
import { type DomainRow, listDomains } from "./sso-domains.store.ts";

/** Where the TXT record of a domain is looked for. */
export function toRecord({ domain, token }: Pick<DomainRow, "domain" | "token">) {
  return { name: `_sso-challenge.${domain}`, value: `sso-verification=${token}` };
}

export function toDomainReply(row: DomainRow): SsoDomain {
  return {
    domain: row.domain,
    record: toRecord(row),
    verifiedAt: row.verified_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

function describeCertificate(pem: string) {
  const certificate = new X509Certificate(pem);
  return {
    sha256: createHash("sha256").update(certificate.raw).digest("hex"),
    notAfter: new Date(certificate.validTo).toISOString(),
    subject: certificate.subject.replaceAll("\n", ", "),
  };
}

function toConnectionReply(row: ConnectionRow): SsoConnection {
  const common = {
    name: row.name,
    defaultRole: row.default_role,
    enabled: row.enabled,
    required: row.required,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastFailure:
      row.last_failed_at === null
        ? null
        : { at: row.last_failed_at.toISOString(), reason: row.last_failure ?? "" },
  };
  return row.protocol === "oidc"
    ? {
        protocol: "oidc",
        ...common,
        issuer: row.issuer,
        clientId: row.client_id,
        hasClientSecret: row.client_secret !== null,
      }
    : {
        protocol: "saml",
        ...common,
        entityId: row.entity_id,
        signInUrl: row.sign_in_url,
        certificates: row.certificates.map(describeCertificate),
      };
}

/** Reads the single sign-on of a tenant, without its secrets. Needs the operator role. @throws {AppError} `RESOURCE_NOT_FOUND`. */
export async function readSso(tx: Tx, tenantId: TenantId, consoleUrl: string): Promise<Sso> {
  const tenant = await findTenantRow(tx, tenantId);
  if (tenant === undefined) {
    throw resourceNotFound("tenant");
  }
  const connection = await findConnection(tx, tenantId);
  return {
    tenantId,
    connection: connection === undefined ? null : toConnectionReply(connection),
    domains: (await listDomains(tx, tenantId)).map(toDomainReply),
    service: toServiceAddresses(consoleUrl, { tenantId, slug: tenant.slug }),
  };
}
