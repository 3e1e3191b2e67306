import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";

/** Kinds of actors: `operator` is a command line with access to the data folder, `system` is Turnpike itself. */
export const AUDIT_ACTOR_TYPES = [
  "user",
  "key",
  "agent",
  "service_key",
  "operator",
  "system",
] as const;

export const auditEntry = z.strictObject({
  auditId: z.string(),
  occurredAt: instant,
  actorType: z.string(),
  actorId: z.string(),
  action: z.string(),
  entityType: z.string(),
  entityId: z.string(),
  requestId: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof auditEntry>;

const tenantAuditEntry = auditEntry.extend({
  tenantId,
  /** Null for a tenant of which nothing is left. */
  tenantName: z.string().nullable(),
});
export type TenantAuditEntry = z.infer<typeof tenantAuditEntry>;

const filters = {
  /** Only entries about this entity: a key, a member, a plan, the tenant itself. */
  entityId: plainText(64).min(1).optional(),
  /** Only what this one did: a person, a key, a service key, an agent. */
  actorId: plainText(128).min(1).optional(),
  actorType: z.enum(AUDIT_ACTOR_TYPES).optional(),
  /** One action, such as `member.removed`, or with a noun alone all of it: `member`. */
  action: z
    .string()
    .max(64)
    .regex(
      /^[a-z_]+(?:\.[a-z_]+)?$/,
      "A noun, such as member, or an action, such as member.removed.",
    )
    .optional(),
  /** Inclusive. */
  from: instant.optional(),
  /** Exclusive. */
  to: instant.optional(),
  /** Text in the action, in ids, or in the name, address or reason that an entry has; capitals do not matter. */
  search: plainText(100).min(1).optional(),
};

const OF_PAGES =
  "Newest first. A page may have fewer entries than asked for although more follow, because a page looks at a bounded number of them: `nextCursor` says whether they do.";

const listAuditQuery = z.strictObject({ tenantId, ...filters, ...pageQuery });
const listInstallationAuditQuery = z.strictObject({ ...filters, ...pageQuery });

export type AuditQuery = z.output<typeof listInstallationAuditQuery>;

export const AUDIT_FORMATS = ["csv", "jsonl"] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

const format = z.enum(AUDIT_FORMATS);
/** The queries of the plain routes that answer with a file. */
export const exportAuditQuery = z.strictObject({ tenantId, ...filters, format });
export const exportInstallationAuditQuery = z.strictObject({ ...filters, format });

const tags = ["Tenants"];

/** There are also plain routes, whose answer is a file: `GET …/export` below each of these. */
export const auditContract = {
  listAudit: operation({ scope: "audit:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/audit",
      summary: "List audit entries",
      description: OF_PAGES,
      tags,
    })
    .input(listAuditQuery)
    .output(pageOf(auditEntry)),
  listInstallationAudit: operation({ scope: "audit:read" })
    .route({
      method: "GET",
      path: "/audit",
      summary:
        "List audit entries of the installation: operators, users, service keys, the catalogue; for operators",
      description: OF_PAGES,
      tags,
    })
    .input(listInstallationAuditQuery)
    .output(pageOf(auditEntry)),
  listAllAudit: operation({ scope: "audit:read" })
    .route({
      method: "GET",
      path: "/audit/tenants",
      summary: "List audit entries of all tenants, deleted ones included; for operators",
      description: OF_PAGES,
      tags,
    })
    .input(listInstallationAuditQuery)
    .output(pageOf(tenantAuditEntry)),
};
