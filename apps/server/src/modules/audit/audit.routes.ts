import { implement } from "@orpc/server";
import {
  type AuditFormat,
  auditContract,
  exportAuditQuery,
  exportInstallationAuditQuery,
} from "@turnpike/contract/audit";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { HttpContext } from "#http/http-context.ts";
import { parseQuery } from "#http/parse-query.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import { sendLines } from "#http/send-lines.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type ExportedTrail, exportAudit } from "./export-audit.ts";
import {
  type AuditQuestion,
  listAllAudit,
  listAudit,
  listInstallationAudit,
} from "./list-audit.ts";

export function createAuditRoutes(deps: AppServices) {
  const os = implement(auditContract).$context<HttpContext>();
  return os.router({
    listAudit: os.listAudit.handler(({ input, context }) => listAudit(deps, context.call(), input)),
    listInstallationAudit: os.listInstallationAudit.handler(({ input, context }) =>
      listInstallationAudit(deps, context.call(), input),
    ),
    listAllAudit: os.listAllAudit.handler(({ input, context }) =>
      listAllAudit(deps, context.call(), input),
    ),
  });
}

const MEDIA_TYPES: Readonly<Record<AuditFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  jsonl: "application/jsonl; charset=utf-8",
};

async function sendTrail(
  deps: AppServices,
  call: RawCall,
  input: { trail: ExportedTrail; format: AuditFormat; question: AuditQuestion },
): Promise<void> {
  await sendLines(call, {
    lines: exportAudit(deps, call.context.call(), input),
    headers: {
      "content-type": MEDIA_TYPES[input.format],
      "content-disposition": `attachment; filename="audit.${input.format}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

/** A file is no document of the contract. */
export function createAuditRawRoutes(deps: AppServices): RawRoute[] {
  const ofAll = (path: string, trail: "installation" | "tenants"): RawRoute => ({
    method: "GET",
    path,
    handle: async (call) => {
      call.context.call();
      const { format, ...question } = parseQuery(call, exportInstallationAuditQuery, {});
      await sendTrail(deps, call, { trail, format, question });
    },
  });
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/audit/export",
      handle: async (call) => {
        call.context.call();
        const tenant = tenantIdSchema.safeParse(call.params["tenantId"]);
        if (!tenant.success) {
          throw resourceNotFound("tenant");
        }
        const path = { tenantId: tenant.data };
        const { tenantId, format, ...question } = parseQuery(call, exportAuditQuery, path);
        await sendTrail(deps, call, { trail: tenantId, format, question });
      },
    },
    ofAll("/v1/audit/export", "installation"),
    ofAll("/v1/audit/tenants/export", "tenants"),
  ];
}
