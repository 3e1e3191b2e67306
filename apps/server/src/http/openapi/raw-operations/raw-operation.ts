import type { OpenAPI } from "@orpc/openapi";
import type { Scope } from "@turnpike/domain/access/scopes";

/** An operation on plain node:http that is not in the contract: uploads, downloads, event streams. */
export type RawOperation = {
  method: "get" | "put" | "post" | "delete";
  /** Below `/v1`, unless it says otherwise. */
  path: string;
  isOutsideV1?: true;
  scope: Scope | "public";
  operation: OpenAPI.OperationObject & { operationId: string };
};
