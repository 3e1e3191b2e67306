import type { Tx } from "@turnpike/db/client";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** What keys need of metering, a module above. */
export interface KeyUsage {
  /** Which of the keys were used since then, give or take an hour. Needs the operator role. */
  listUsedSince(
    tx: Tx,
    input: { tenantId: TenantId; keyIds: readonly KeyId[]; since: Date },
  ): Promise<ReadonlySet<KeyId>>;
}
