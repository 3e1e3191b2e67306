import { roleName, userId as userIdSchema } from "@turnpike/contract/shapes";
import {
  ensureUserRequest,
  type LeftKey,
  type Member,
  type PausedWebhook,
} from "@turnpike/contract/tenants";
import { ROLES } from "@turnpike/domain/access/scopes";
import { toSuggestion } from "@turnpike/domain/text/suggest";
import { z } from "zod";
import { ensureUser } from "#modules/identity/index.ts";
import { getTenantByName, listMembers, putMember, removeMember } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import { addResetFactorsCommand } from "./reset-factors-command.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";
import { UsageError } from "./usage-error.ts";

const memberInput = z.strictObject({ userId: userIdSchema, role: roleName });

function parseRole(text: string): string {
  if (!roleName.safeParse(text).success) {
    throw new UsageError(
      `"${text}" is not one of ${ROLES.join(", ")}, nor the id of a role.${toSuggestion(text, ROLES)}`,
    );
  }
  return text;
}
const USER_NAMES = { userId: "<user>" };

function toMemberText(member: Member): string {
  return toRecord([
    ["User", member.userId],
    ["Role", member.customRole?.name ?? member.role],
    ["E-mail", member.email ?? "-"],
    ["Name", member.name ?? "-"],
  ]);
}

function toMembersTable(members: readonly Member[]): string {
  return toTable(
    members,
    [
      { header: "USER", value: (member) => member.userId },
      { header: "ROLE", value: (member) => member.customRole?.name ?? member.role },
      { header: "E-MAIL", value: (member) => member.email ?? "-" },
      { header: "NAME", value: (member) => member.name ?? "-" },
      { header: "SINCE (UTC)", value: (member) => toShortInstant(member.createdAt) },
    ],
    "No members yet. Add one: turnpike members put --tenant <tenant> <user> --role owner",
  );
}

function toRemovedText(
  userId: string,
  {
    liveKeys,
    pausedWebhooks,
  }: { liveKeys: readonly LeftKey[]; pausedWebhooks: readonly PausedWebhook[] },
): string {
  const origins = pausedWebhooks.map(({ origin }) => origin).join(", ");
  const paused =
    origins === "" ? "" : ` Webhooks that are paused until someone enables them: ${origins}.`;
  if (liveKeys.length === 0) {
    return `Removed ${userId}.${paused}`;
  }
  const table = toTable(
    liveKeys,
    [
      { header: "KEY", value: (key) => key.keyId },
      { header: "NAME", value: (key) => key.name },
      { header: "START", value: (key) => key.start },
    ],
    "",
  );
  return `Removed ${userId}.${paused} Keys that they made work on:\n${table}`;
}

/** `turnpike members …` and `turnpike users …`: who belongs to which tenant. */
export function addMembersCommands(cli: Cli): void {
  addUserCommands(cli);
  const members = cli.program.command("members").description("list, add and remove members");

  members
    .command("list")
    .description("list the members of a tenant")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("members list --tenant blue-heron-maps"))
    .action(async ({ tenant, ...page }) => {
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await listMembers(deps, context, { ...page, tenantId });
        },
        (result) => toPageText(result, toMembersTable),
      );
    });

  members
    .command("put")
    .description("make a user a member, or change the role of one")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .argument("<user>", "id of the user; `users ensure` makes one")
    .requiredOption(
      "--role <role>",
      `${ROLES.join(", ")}, or the id of a role that the tenant made`,
      optionParser(parseRole),
    )
    .addHelpText("after", examples("members put --tenant blue-heron-maps usr_… --role owner"))
    .action(async (user, options) => {
      const input = parseInput(memberInput, { userId: user, role: options.role }, USER_NAMES);
      await cli.run(async ({ deps, context }) => {
        const { tenantId } = await getTenantByName(deps, context, { idOrSlug: options.tenant });
        return await putMember(deps, context, { ...input, tenantId });
      }, toMemberText);
    });

  members
    .command("remove")
    .description("remove a member")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .argument("<user>", "id of the user")
    .addHelpText("after", examples("members remove --tenant blue-heron-maps usr_…"))
    .action(async (user, options) => {
      const { userId } = parseInput(
        memberInput.pick({ userId: true }),
        { userId: user },
        USER_NAMES,
      );
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: options.tenant });
          const left = await removeMember(deps, context, { tenantId, userId });
          return { tenantId, userId, removed: true, ...left };
        },
        (left) => toRemovedText(userId, left),
      );
    });
}

function addUserCommands(cli: Cli): void {
  const users = cli.program
    .command("users")
    .description("make users known, and help those who lost their second factor");
  addResetFactorsCommand(cli, users);
  users
    .command("ensure")
    .description("create the user of an issuer and subject, or bring e-mail and name up to date")
    .requiredOption("--issuer <url>", "who vouches for the person: the issuer of its tokens")
    .requiredOption("--subject <subject>", "the issuer's name for the person")
    .option("--email <address>", "e-mail address")
    .option("--name <name>", "name that people see")
    .addHelpText(
      "after",
      examples("users ensure --issuer https://id.example.com --subject 4711 --name Ada"),
    )
    .action(async (options) => {
      const input = parseInput(ensureUserRequest, options);
      await cli.run(
        ({ deps, context }) => ensureUser(deps, context, input),
        (user) =>
          toRecord([
            ["User", user.userId],
            ["Issuer", user.issuer],
            ["Subject", user.subject],
            ["E-mail", user.email ?? "-"],
            ["Name", user.name ?? "-"],
          ]),
      );
    });
}
