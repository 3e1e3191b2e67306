import { oc } from "@orpc/contract";
import type { Scope } from "@turnpike/domain/access/scopes";

/** What every operation states beside its shapes. */
export type OperationMeta = {
  /** The scope a caller needs; `public` for what works without credentials, `person` for what only people may do. */
  scope: Scope | "public" | "person";
  /**
   * True where every signed-in person may call, with the scope or without it: the use case decides what they get.
   * Left out, a person needs the scope: as an operator, or by a role in the tenant that the path names.
   */
  openToPeople?: true;
};

/** The start of every operation: without a scope a route does not compile. */
export function operation(meta: OperationMeta) {
  return oc.$meta<OperationMeta>(meta);
}
