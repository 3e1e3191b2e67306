import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What webhooks need of the modules above, which know who looks after a tenant. */
export interface WebhookNotices {
  /**
   * Tells whoever looks after an endpoint that it was disabled: if and only if the transaction commits, which is one of the
   * operator role.
   *
   * @param input.tenantId - Null for an endpoint of the installation.
   */
  notifyDisabled(
    tx: Tx,
    input: { tenantId: TenantId | null; title: string; body: string },
  ): Promise<void>;
}
