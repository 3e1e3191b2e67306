import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { mayUseCollection } from "@turnpike/domain/documents/own-collection";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";

/**
 * Asserts that an actor may read or write the documents of a collection.
 *
 * @throws {AppError} As `assertMayInTenant`; `RESOURCE_NOT_FOUND` for another actor's own collection.
 */
export function assertMayUse(
  { actor }: Pick<CallContext, "actor">,
  scope: "documents:read" | "documents:write",
  at: { tenantId: TenantId; collection: string },
): void {
  assertMayInTenant(actor, scope, at.tenantId);
  if (!mayUseCollection(actor.id, at.collection)) {
    throw resourceNotFound("collection");
  }
}
