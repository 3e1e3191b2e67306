import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** What webhooks need from the modules above, which know the people of a tenant. */
export interface WebhookNotices {
  /**
   * Notifies the people responsible for an endpoint that it was disabled, if and only if the transaction commits. Needs the operator
   * role.
   *
   * @param input.tenantId - Null for an endpoint of the installation.
   */
  notifyDisabled(
    tx: Tx,
    input: { tenantId: TenantId | null; title: string; body: string },
  ): Promise<void>;
}
