import { oc } from "@orpc/contract";
import type { Scope } from "@turnpike/domain/access/scopes";

/** Metadata that every operation states. */
export type OperationMeta = {
  /** The scope that a caller needs; `public` for operations without credentials, `person` for those only people may call. */
  scope: Scope | "public" | "person";
  /**
   * True where every signed-in person may call, with or without the scope: the use case decides what they get. Left out, a person
   * needs the scope, as an operator or by a role in the tenant of the path.
   */
  openToPeople?: true;
  /**
   * True where a good body may have more than a few thousand JSON values. Left out, it may have 10,000: each value that a schema
   * refuses costs microseconds.
   */
  largeBody?: true;
  /**
   * True where it must work while there is no room to store anything: it takes something away, or stores nothing. `overdraft` where
   * it may also be used for other changes: then up to twice the changes of a day, and down to half of the disk's reserve.
   */
  worksWhenFull?: true | "overdraft";
  /** The field whose items count as a change each. Left out, a call is one change. */
  changesEach?: string;
};

/** Begins every operation. A route without a scope does not compile. */
export function operation(meta: OperationMeta) {
  return oc.$meta<OperationMeta>(meta);
}
