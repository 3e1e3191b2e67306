import { oc } from "@orpc/contract";
import type { Scope } from "@turnpike/domain/access/scopes";

/** What every operation states beside its shapes. */
export type OperationMeta = {
  /** The scope a caller needs; `public` for what works without credentials. */
  scope: Scope | "public";
};

/** The start of every operation: without a scope a route does not compile. */
export function operation(meta: OperationMeta) {
  return oc.$meta<OperationMeta>(meta);
}
