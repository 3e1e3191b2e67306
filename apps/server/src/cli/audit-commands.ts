import { AUDIT_FORMATS, type AuditEntry, type TenantAuditEntry } from "@turnpike/contract/audit";
import { z } from "zod";
import {
  exportAudit,
  listAllAudit,
  listAudit,
  listInstallationAudit,
} from "#modules/audit/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput, toInstant } from "./parse-input.ts";
import { toShortInstant, toTable } from "./print.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";
import { UsageError } from "./usage-error.ts";
import { writeWholeFile } from "./write-whole-file.ts";

type Shown = AuditEntry | TenantAuditEntry;

function toAuditTable(entries: readonly Shown[]): string {
  const isOfAll = entries.some((entry) => "tenantId" in entry);
  return toTable(
    entries,
    [
      { header: "WHEN (UTC)", value: (entry) => toShortInstant(entry.occurredAt) },
      ...(isOfAll
        ? [
            {
              header: "TENANT",
              value: (entry: Shown) =>
                "tenantId" in entry ? (entry.tenantName ?? entry.tenantId) : "",
            },
          ]
        : []),
      { header: "WHO", value: (entry) => `${entry.actorType} ${entry.actorId}` },
      { header: "WHAT", value: (entry) => entry.action },
      { header: "OF", value: (entry) => entry.entityId },
    ],
    "Nothing has happened yet.",
  );
}

type Filters = {
  tenant?: string | undefined;
  allTenants?: true | undefined;
  entity?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  search?: string | undefined;
};

/** Which trail is meant, and which of its entries. */
async function toQuestion({ deps, context }: CommandSession, filters: Filters) {
  const { tenant, allTenants, entity, actor, ...asked } = filters;
  if (tenant !== undefined && allTenants === true) {
    throw new UsageError("choose one tenant or all of them: --tenant or --all-tenants");
  }
  const question = { ...asked, entityId: entity, actorId: actor };
  if (tenant === undefined) {
    return { trail: allTenants === true ? "tenants" : "installation", question } as const;
  }
  const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
  return { trail: tenantId, question };
}

async function listTrail(
  session: CommandSession,
  { limit, cursor, ...filters }: Filters & { limit: number; cursor?: string | undefined },
): Promise<{ items: Shown[]; nextCursor: string | null }> {
  const { deps, context } = session;
  const { trail, question } = await toQuestion(session, filters);
  const input = { ...question, limit, cursor };
  if (trail === "installation") {
    return await listInstallationAudit(deps, context, input);
  }
  return trail === "tenants"
    ? await listAllAudit(deps, context, input)
    : await listAudit(deps, context, { ...input, tenantId: trail });
}

const FILTERS = [
  ["--all-tenants", "of all tenants"],
  ["--entity <id>", "only what happened to this one: a key, a service key, a plan, a user"],
  ["--actor <id>", "only what this one did: a person, a key, a service key, an agent"],
  ["--action <action>", "one action, such as member.removed, or all of a noun: member"],
  ["--search <text>", "only entries with this text in their action, ids, name, address or reason"],
] as const;

const ofFormat = z.strictObject({ format: z.enum(AUDIT_FORMATS) });

/** `turnpike audit …`: who changed what. */
export function addAuditCommands(cli: Cli): void {
  const audit = cli.program.command("audit").description("read the audit trail");
  const [all, entity, actor, action, search] = FILTERS;

  audit
    .command("list")
    .description("list who changed what, newest first: in a tenant, or of the installation itself")
    .option("--tenant <tenant>", TENANT_TEXT)
    .option(...all)
    .option(...entity)
    .option(...actor)
    .option(...action)
    .option("--from <instant>", "only from then on", optionParser(toInstant))
    .option("--to <instant>", "only before", optionParser(toInstant))
    .option(...search)
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText(
      "after",
      examples(
        "audit list",
        "audit list --tenant blue-heron-maps --json",
        "audit list --all-tenants --action member.removed --from 2026-11-01",
      ),
    )
    .action(async (options) => {
      await cli.run(
        (session) => listTrail(session, options),
        (result) => toPageText(result, toAuditTable),
      );
    });

  audit
    .command("export")
    .description("write who changed what to a file, newest first; the trail says that it was done")
    .requiredOption("--format <format>", AUDIT_FORMATS.join(", "))
    .requiredOption("--out <file>", "where to; it appears when it is whole")
    .option("--tenant <tenant>", TENANT_TEXT)
    .option(...all)
    .option(...entity)
    .option(...actor)
    .option(...action)
    .option("--from <instant>", "only from then on", optionParser(toInstant))
    .option("--to <instant>", "only before", optionParser(toInstant))
    .option(...search)
    .addHelpText(
      "after",
      examples("audit export --tenant blue-heron-maps --format csv --out audit.csv"),
    )
    .action(async ({ out, format: given, ...filters }) => {
      const { format } = parseInput(ofFormat, { format: given });
      const path = cli.toPath(out);
      const config = cli.environment.readConfig();
      const log = cli.environment.errors;
      await runCommand({ config, log, timeoutSeconds: null }, async (session) => {
        const { deps, context, signal } = session;
        const { trail, question } = await toQuestion(session, filters);
        const lines = exportAudit(deps, context, { trail, format, question });
        await writeWholeFile(path, endWith(lines, signal));
      });
      cli.print({ file: path }, () => `Wrote ${path}.`);
    });
}

/** @throws The signal's reason, between two lines. */
async function* endWith(lines: AsyncGenerator<string>, signal: AbortSignal) {
  for await (const line of lines) {
    signal.throwIfAborted();
    yield line;
  }
}
