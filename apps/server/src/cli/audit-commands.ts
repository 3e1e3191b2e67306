import type { AuditEntry } from "@turnpike/contract/tenants";
import { listAudit, listInstallationAudit } from "#modules/audit/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples } from "./cli.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { toShortInstant, toTable } from "./print.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";

function toAuditTable(entries: readonly AuditEntry[]): string {
  return toTable(
    entries,
    [
      { header: "WHEN (UTC)", value: (entry) => toShortInstant(entry.occurredAt) },
      { header: "WHO", value: (entry) => `${entry.actorType} ${entry.actorId}` },
      { header: "WHAT", value: (entry) => entry.action },
      { header: "OF", value: (entry) => entry.entityId },
    ],
    "Nothing has happened yet.",
  );
}

/** `turnpike audit …`: who changed what. */
export function addAuditCommands(cli: Cli): void {
  cli.program
    .command("audit")
    .description("read the audit trail")
    .command("list")
    .description("list who changed what, newest first: in a tenant, or of the installation itself")
    .option("--tenant <tenant>", TENANT_TEXT)
    .option("--entity <id>", "only what happened to this one: a key, a service key, a plan, a user")
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("audit list", "audit list --tenant blue-heron-maps --json"))
    .action(async ({ tenant, entity, ...page }) => {
      const input = { ...page, entityId: entity };
      await cli.run(
        async ({ deps, context }) => {
          if (tenant === undefined) {
            return await listInstallationAudit(deps, context, input);
          }
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await listAudit(deps, context, { ...input, tenantId });
        },
        (result) => toPageText(result, toAuditTable),
      );
    });
}
