import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { mayUseCollection } from "@turnpike/domain/documents/own-collection";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";

/**
 * Lets an actor pass who may read, or write, documents of a collection.
 *
 * @throws {AppError} As `assertMayInTenant`; `RESOURCE_NOT_FOUND` for a collection that is somebody else's own.
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
