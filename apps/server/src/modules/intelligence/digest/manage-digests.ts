import type { InsightDigest, InsightDigestList } from "@turnpike/contract/insight-digests";
import { assertMayInTenant, type CallContext, getPerson } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type DigestFrequency, nextDigestMs } from "@turnpike/domain/insights/digest-schedule";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import {
  type DigestRow,
  deleteDigestRow,
  findDigestAddress,
  listDigestRows,
  saveDigestRow,
} from "./digests.store.ts";

function toReply(row: DigestRow): InsightDigest {
  return {
    tenantId: row.tenant_id,
    frequency: row.frequency,
    timeZone: row.time_zone,
    nextAt: row.next_at.toISOString(),
  };
}

/** Lists the digests that the caller gets. @throws {AppError} `INSUFFICIENT_SCOPE` for a program. */
export async function listDigests(
  deps: AppServices & { sendsMail: boolean },
  context: CallContext,
): Promise<InsightDigestList> {
  const person = getPerson(context.actor);
  return await deps.transact.asOperator(async (tx) => ({
    items: (await listDigestRows(tx, person.id)).map(toReply),
    email: (await findDigestAddress(tx, person.id)) ?? null,
    sendsMail: deps.sendsMail,
  }));
}

/**
 * Chooses how often the caller gets a digest of a tenant's insights. The first one tells of changes from now on.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for a tenant that the caller is not a member of, an operator included;
 *   `INSUFFICIENT_SCOPE` for a program.
 */
export async function updateDigest(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId; frequency: DigestFrequency; timeZone: string },
): Promise<InsightDigest> {
  const { tenantId, frequency, timeZone } = input;
  const person = getPerson(context.actor);
  assertMayInTenant(person, "usage:read", tenantId);
  if (!person.roles.has(tenantId)) {
    throw resourceNotFound("member");
  }
  const now = deps.clock.now();
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    if (frequency === "off") {
      await deleteDigestRow(tx, tenantId, person.id);
      return { tenantId, frequency, timeZone, nextAt: null };
    }
    const row: DigestRow = {
      tenant_id: tenantId,
      user_id: person.id,
      frequency,
      time_zone: timeZone,
      told_to: now,
      next_at: new Date(nextDigestMs({ frequency, timeZone }, now.getTime())),
    };
    await saveDigestRow(tx, row);
    return toReply(row);
  });
}
