import type { Tx } from "@turnpike/db/client";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";

/** In place of a tenant: the installation, whose endpoints hear of every tenant. */
export const INSTALLATION = "operator";

/** Whose endpoint it is. */
export type WebhookOwner = TenantId | typeof INSTALLATION;

/** @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` for a tenant that the actor must not know of. */
export function assertMayWith(
  context: CallContext,
  scope: "webhooks:read" | "webhooks:write",
  owner: WebhookOwner,
): void {
  if (owner === INSTALLATION) {
    assertMay(context.actor, scope);
  } else {
    assertMayInTenant(context.actor, scope, owner);
  }
}

/** Does work in a transaction that sees the rows of the owner: a tenant's no others. */
export function transactAs<Result>(
  deps: Pick<AppServices, "transact">,
  owner: WebhookOwner,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return owner === INSTALLATION
    ? deps.transact.asOperator(work)
    : deps.transact.asTenant(owner, work);
}
