import { SSO_DOMAINS_MAX, type SsoDomain } from "@turnpike/contract/sso";
import { isUniqueViolation } from "@turnpike/db/database-errors";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { shareOf } from "#platform/transact.ts";
import type { SsoDeps } from "./sso.ports.ts";
import {
  deleteDomain,
  findDomain,
  insertDomain,
  listDomains,
  markVerified,
} from "./sso-domains.store.ts";
import { toDomainReply, toRecord } from "./to-sso-reply.ts";

type DomainInput = { tenantId: TenantId; domain: string };

const TOKEN_BYTES = 24;
/** Of the records that are shown to the person, when none is the one. */
const SHOWN_MAX = 3;
const SHOWN_LENGTH_MAX = 100;

/**
 * Claims a domain. Nothing comes of it until it is proven; other tenants may claim it as well.
 *
 * @throws {AppError} `ALREADY_EXISTS`, `CONFLICT` at the limit, `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`.
 */
export async function addDomain(
  deps: SsoDeps,
  context: CallContext,
  { tenantId, domain }: DomainInput,
): Promise<SsoDomain> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    if ((await listDomains(tx, tenantId)).length >= SSO_DOMAINS_MAX) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: `A tenant has at most ${String(SSO_DOMAINS_MAX)} domains.`,
      });
    }
    const row = {
      tenant_id: tenantId,
      domain,
      token: Buffer.from(deps.randomBytes(TOKEN_BYTES)).toString("base64url"),
      created_at: deps.clock.now(),
    };
    if (!(await insertDomain(tx, row))) {
      throw new AppError({
        code: "ALREADY_EXISTS",
        publicMessage: "This domain is in the list already.",
        errors: [{ pointer: "/domain", message: "It is in the list already." }],
      });
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "sso_domain.added",
      entityType: "sso_domain",
      entityId: domain,
    });
    return toDomainReply({ ...row, verified_at: null });
  }, shareOf(context.actor));
}

function notProven(name: string, found: readonly string[]): AppError {
  const shown = found.slice(0, SHOWN_MAX).map((text) => `“${text.slice(0, SHOWN_LENGTH_MAX)}”`);
  const seen =
    shown.length === 0 ? "no TXT record is there yet" : `the records there are ${shown.join(", ")}`;
  return new AppError({
    code: "CONFLICT",
    publicMessage: `The record was not found at ${name}: ${seen}. A new record can take an hour to be seen everywhere.`,
  });
}

/**
 * Looks for the TXT record of a domain, and takes the domain as proven when it is there.
 *
 * @throws {AppError} `CONFLICT` when it is not, or when another tenant has proven the domain; `RESOURCE_NOT_FOUND`;
 *   `INSUFFICIENT_SCOPE` without `sso:write`.
 */
export async function verifyDomain(
  deps: SsoDeps,
  context: CallContext,
  { tenantId, domain }: DomainInput,
): Promise<SsoDomain> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  const share = shareOf(context.actor);
  const claimed = await deps.transact.asOperator((tx) => findDomain(tx, tenantId, domain), share);
  if (claimed === undefined) {
    throw resourceNotFound("domain");
  }
  const record = toRecord(claimed);
  const found = await deps.findTxtRecords(record.name);
  if (!found.includes(record.value)) {
    throw notProven(record.name, found);
  }
  return await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    const before = await findDomain(tx, tenantId, domain);
    const row = await markVerified(tx, { tenantId, domain, now: deps.clock.now() }).catch(
      (cause: unknown) => {
        if (isUniqueViolation(cause)) {
          throw new AppError({
            code: "CONFLICT",
            publicMessage: "Another tenant has proven this domain. Ask the operator.",
            cause,
          });
        }
        throw cause;
      },
    );
    if (row === undefined) {
      throw resourceNotFound("domain");
    }
    if (before?.verified_at === null) {
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "sso_domain.verified",
        entityType: "sso_domain",
        entityId: domain,
      });
    }
    return toDomainReply(row);
  }, share);
}

/** Gives up a domain: its people sign in as before. @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function removeDomain(
  deps: SsoDeps,
  context: CallContext,
  { tenantId, domain }: DomainInput,
): Promise<void> {
  assertMayInTenant(context.actor, "sso:write", tenantId);
  await deps.transact.asOperator(async (tx) => {
    await lockTenant(tx, tenantId);
    if (!(await deleteDomain(tx, tenantId, domain))) {
      throw resourceNotFound("domain");
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "sso_domain.removed",
      entityType: "sso_domain",
      entityId: domain,
    });
  }, shareOf(context.actor));
}
