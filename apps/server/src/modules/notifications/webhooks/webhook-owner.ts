import type { Tx } from "@turnpike/db/client";
import {
  assertMay,
  assertMayInTenant,
  assertMayLearnSecret,
  type CallContext,
} from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";

/** Used instead of a tenant: the installation, whose endpoints get the events of every tenant. */
export const INSTALLATION = "operator";

/** The owner of an endpoint. */
export type WebhookOwner = TenantId | typeof INSTALLATION;

/** @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` for a tenant that the actor may not know about. */
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

/** @throws {AppError} `INSUFFICIENT_SCOPE` for an operator who acts in the tenant, to whom its secrets are not shown. */
export function assertMayLearn({ actor }: CallContext, owner: WebhookOwner): void {
  if (owner !== INSTALLATION) {
    assertMayLearnSecret(actor, owner);
  }
}

/** Runs work in a transaction that sees only the owner's rows. */
export function transactAs<Result>(
  deps: Pick<AppServices, "transact">,
  owner: WebhookOwner,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return owner === INSTALLATION
    ? deps.transact.asOperator(work)
    : deps.transact.asTenant(owner, work);
}
