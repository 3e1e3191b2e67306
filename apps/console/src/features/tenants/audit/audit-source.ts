import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import type { TenantId } from "../tenants.queries.ts";
import { type AuditFilter, toQuestion } from "./audit-filter.view-model.ts";

/** The log of one tenant, that of the installation, or those of all tenants as one. */
export type AuditSource = { tenantId: TenantId } | "installation" | "tenants";

export type Entry = Awaited<ReturnType<ApiClient["tenants"]["listAudit"]>>["items"][number] &
  Partial<
    Pick<
      Awaited<ReturnType<ApiClient["tenants"]["listAllAudit"]>>["items"][number],
      "tenantId" | "tenantName"
    >
  >;

/** Entries of a page. */
const PAGE = 25;

/** A page of a log. Every change adds to it. */
export function auditQuery(
  api: ApiClient,
  source: AuditSource,
  { filter, cursor }: { filter: AuditFilter; cursor: string | undefined },
) {
  const name = typeof source === "string" ? source : source.tenantId;
  const asked = {
    ...toQuestion(filter),
    limit: PAGE,
    ...(cursor === undefined ? {} : { cursor }),
  };
  return queryOptions({
    queryKey: ["audit", name, "page", asked],
    queryFn: async ({ signal }): Promise<{ items: Entry[]; nextCursor: string | null }> => {
      if (source === "installation") {
        return await api.tenants.listInstallationAudit(asked, { signal });
      }
      return source === "tenants"
        ? await api.tenants.listAllAudit(asked, { signal })
        : await api.tenants.listAudit({ ...asked, ...source }, { signal });
    },
    staleTime: 0,
  });
}

/** The path of the file below `/v1`. */
export function toExportPath(source: AuditSource): string {
  if (source === "installation") {
    return "/audit/export";
  }
  return source === "tenants"
    ? "/audit/tenants/export"
    : `/tenants/${source.tenantId}/audit/export`;
}
