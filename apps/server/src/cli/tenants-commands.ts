import { pageOf, tenantId as tenantIdShape } from "@turnpike/contract/shapes";
import {
  createTenantRequest,
  type DeletedTenant,
  type Tenant,
  tenant,
  updateTenantRequest,
} from "@turnpike/contract/tenants";
import { z } from "zod";
import {
  createTenant,
  deleteTenant,
  getTenantByName,
  listDeletedTenants,
  listTenants,
  restoreTenant,
  updateTenant,
} from "#modules/tenants/index.ts";
import { type Cli, examples } from "./cli.ts";
import { addMoveCommand } from "./move-command.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import { UsageError } from "./usage-error.ts";
import { withMail } from "./with-mail.ts";

/** What every command that is about a tenant calls it. */
export const TENANT_TEXT = "id or slug of the tenant";

function toTenantText(tenant: Tenant): string {
  return toRecord([
    ["Tenant", tenant.tenantId],
    ["Name", tenant.name],
    ["Slug", tenant.slug],
    ["External id", tenant.externalId ?? "-"],
    ["Plan", `${tenant.planId}, version ${String(tenant.planVersion)}`],
    ["State", stateOf(tenant)],
    ...(tenant.suspensionReason === undefined
      ? []
      : [["Reason", tenant.suspensionReason] as const]),
    ["Created", `${toShortInstant(tenant.createdAt)} UTC`],
  ]);
}

function stateOf(tenant: Tenant): string {
  return tenant.suspendedAt === null ? "active" : "suspended";
}

function toSuspended(options: { suspend?: true; resume?: true }): boolean | undefined {
  if (options.suspend && options.resume) {
    throw new UsageError("--suspend and --resume exclude each other");
  }
  if (options.suspend) {
    return true;
  }
  return options.resume ? false : undefined;
}

/** `turnpike tenants …`: the operator's customers. */
export function addTenantsCommands(cli: Cli): void {
  const tenants = cli.program
    .command("tenants")
    .description("create, list, show, change, delete, restore and move tenants");

  tenants
    .command("create")
    .description("create a tenant")
    .requiredOption("--name <name>", "name that people see")
    .option("--slug <slug>", "name in addresses; made from the name when left out")
    .option("--external-id <id>", "your own name for this customer")
    .option("--plan <plan>", "plan; the default one when left out")
    .addHelpText(
      "after",
      examples('tenants create --name "Blue Heron Maps" --plan pro --external-id crm-4711'),
    )
    .action(async (options) => {
      const { plan: planId, ...rest } = options;
      const input = parseInput(createTenantRequest, { ...rest, planId }, { planId: "--plan" });
      await cli.run(({ deps, context }) => createTenant(deps, context, input), toTenantText);
    });

  tenants
    .command("list")
    .description("list tenants, newest first")
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("tenants list", "tenants list --limit 100 --json"))
    .action(async (options) => {
      await cli.runAnywhere({
        here: ({ deps, context }) => listTenants(deps, context, options),
        there: (api) =>
          api.call({ method: "GET", path: "/v1/tenants", query: options }, pageOf(tenant)),
        toText: (page) => toPageText(page, toTenantsTable),
      });
    });

  tenants
    .command("get")
    .description("show a tenant")
    .argument("<tenant>", TENANT_TEXT)
    .addHelpText("after", examples("tenants get blue-heron-maps"))
    .action(async (idOrSlug) => {
      await cli.run(
        ({ deps, context }) => getTenantByName(deps, context, { idOrSlug }),
        toTenantText,
      );
    });

  tenants
    .command("update")
    .description("change name, slug, plan or suspension of a tenant")
    .argument("<tenant>", TENANT_TEXT)
    .option("--name <name>", "new name")
    .option("--slug <slug>", "new slug")
    .option("--plan <plan>", "move to the newest version of this plan")
    .option("--suspend", "refuse its keys with TENANT_SUSPENDED, within a second")
    .option("--reason <text>", "why it is suspended, which its members read")
    .option("--resume", "accept its keys again")
    .addHelpText(
      "after",
      examples(
        "tenants update blue-heron-maps --plan scale",
        'tenants update blue-heron-maps --suspend --reason "The invoice of October is unpaid."',
      ),
    )
    .action(async (idOrSlug, options) => {
      const { plan: planId, suspend, resume, reason: suspensionReason, ...rest } = options;
      const suspended = toSuspended({ ...(suspend && { suspend }), ...(resume && { resume }) });
      const input = parseInput(
        updateTenantRequest.omit({ tenantId: true }),
        { ...rest, planId, suspended, suspensionReason },
        { planId: "--plan", suspensionReason: "--reason" },
      );
      if (Object.keys(input).length === 0) {
        throw new UsageError(
          "say what to change: --name, --slug, --plan, --suspend, --reason or --resume",
        );
      }
      await cli.run(
        (session) =>
          withMail(session, async (mail) => {
            const { deps, context } = session;
            const { tenantId } = await getTenantByName(deps, context, { idOrSlug });
            return await updateTenant({ ...deps, mail }, context, { ...input, tenantId });
          }),
        toTenantText,
      );
    });

  tenants
    .command("delete")
    .description(
      "delete a tenant: its keys are revoked and it is hidden; it can be restored for 30 days",
    )
    .argument("<tenant>", TENANT_TEXT)
    .requiredOption("--name <name>", "name of the tenant, to confirm")
    .addHelpText("after", examples('tenants delete blue-heron-maps --name "Blue Heron Maps"'))
    .action(async (idOrSlug, { name }) => {
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug });
          await deleteTenant(deps, context, { tenantId, name });
          return { tenantId };
        },
        ({ tenantId }) =>
          `Deleted ${tenantId}. Within 30 days: turnpike tenants restore ${tenantId}`,
      );
    });

  tenants
    .command("list-deleted")
    .description("list deleted tenants, the last deleted first")
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("tenants list-deleted"))
    .action(async (options) => {
      await cli.run(
        ({ deps, context }) => listDeletedTenants(deps, context, options),
        (page) => toPageText(page, toDeletedTable),
      );
    });

  tenants
    .command("restore")
    .description("restore a deleted tenant with its members; its keys stay revoked")
    .argument("<tenant>", "id of the tenant")
    .addHelpText("after", examples("tenants restore ten_0199f3b0c1d27a4e8f60112233445566"))
    .action(async (id) => {
      const input = parseInput(
        z.strictObject({ tenantId: tenantIdShape }),
        { tenantId: id },
        {
          tenantId: "<tenant>",
        },
      );
      await cli.run(({ deps, context }) => restoreTenant(deps, context, input), toTenantText);
    });

  addMoveCommand(cli, tenants);
}

function toDeletedTable(tenants: readonly DeletedTenant[]): string {
  return toTable(
    tenants,
    [
      { header: "TENANT", value: (tenant) => tenant.tenantId },
      { header: "SLUG", value: (tenant) => tenant.slug },
      { header: "NAME", value: (tenant) => tenant.name },
      { header: "DELETED (UTC)", value: (tenant) => toShortInstant(tenant.deletedAt) },
      { header: "BY", value: (tenant) => tenant.deletedBy },
      {
        header: "RESTORABLE UNTIL (UTC)",
        value: (tenant) =>
          tenant.purgedAt === null ? toShortInstant(tenant.restorableUntil) : "removed",
      },
    ],
    "No tenant is deleted.",
  );
}

function toTenantsTable(tenants: readonly Tenant[]): string {
  return toTable(
    tenants,
    [
      { header: "TENANT", value: (tenant) => tenant.tenantId },
      { header: "SLUG", value: (tenant) => tenant.slug },
      { header: "NAME", value: (tenant) => tenant.name },
      { header: "PLAN", value: (tenant) => tenant.planId },
      { header: "STATE", value: stateOf },
      { header: "CREATED (UTC)", value: (tenant) => toShortInstant(tenant.createdAt) },
    ],
    'No tenants yet. Create one: turnpike tenants create --name "Blue Heron Maps"',
  );
}
