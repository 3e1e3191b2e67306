import { type AuditFilter, parseAuditFilter } from "../audit/audit-filter.view-model.ts";

const CURSOR_LENGTH_MAX = 200;

/** The search parameters of the operator's audit log. */
export type OperatorAuditSearch = AuditFilter & {
  /** Left out: those of all tenants. */
  log?: "installation";
  cursor?: string;
};

/** Keeps the search parameters that the screen understands and drops the rest. */
export function parseOperatorAuditSearch(search: Record<string, unknown>): OperatorAuditSearch {
  const { cursor, log } = search;
  const isCursor =
    typeof cursor === "string" && cursor !== "" && cursor.length <= CURSOR_LENGTH_MAX;
  return {
    ...parseAuditFilter(search),
    ...(log === "installation" ? { log } : {}),
    ...(isCursor ? { cursor } : {}),
  };
}
