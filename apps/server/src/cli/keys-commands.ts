import {
  createKeyRequest,
  KEY_GRACE_SECONDS,
  type Key,
  rollKeyRequest,
} from "@turnpike/contract/keys";
import { keyId as keyIdSchema } from "@turnpike/contract/shapes";
import { TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { z } from "zod";
import { createKey, listKeys, revokeKey, rollKey, updateKey } from "#modules/keys/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { addKeysImportCommand } from "./keys-import-command.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput, parseInstant } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";

const GRACE_CHOICES = KEY_GRACE_SECONDS.join(", ");

const keyInput = z.strictObject({ keyId: keyIdSchema });

function toKeyFields(key: Key): [string, string][] {
  return [
    ["Key", key.keyId],
    ["Name", key.name],
    ["Environment", key.environment],
    ["Start", `${key.start}…${key.lastFour}`],
    ["Scopes", key.scopes.join(", ") || "-"],
    ["State", key.state],
    ["Expires", toShortInstant(key.expiresAt)],
  ];
}

function toKeysTable(keys: readonly Key[]): string {
  return toTable(
    keys,
    [
      { header: "KEY", value: (key) => key.keyId },
      { header: "NAME", value: (key) => key.name },
      { header: "START", value: (key) => `${key.start}…${key.lastFour}` },
      { header: "STATE", value: (key) => key.state },
      { header: "CREATED (UTC)", value: (key) => toShortInstant(key.createdAt) },
      { header: "EXPIRES (UTC)", value: (key) => toShortInstant(key.expiresAt) },
    ],
    "No keys yet. Create one: turnpike keys create --tenant <tenant> --name production",
  );
}

/** `turnpike keys …`: API keys of tenants. */
export function addKeysCommands(cli: Cli): void {
  const keys = cli.program.command("keys").description("create, list, change and revoke API keys");

  keys
    .command("create")
    .description("create a key; it is shown once and stored as a hash")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .requiredOption("--name <name>", "name that people see")
    .option("--test", "a key for tests, metered apart and never billed")
    .option("--scope <scope...>", `management scopes: ${TENANT_KEY_SCOPES.join(", ")}`)
    .option("--expires <instant>", "when it stops to work", optionParser(parseInstant))
    .addHelpText(
      "after",
      examples(
        "keys create --tenant blue-heron-maps --name production",
        "keys create --tenant blue-heron-maps --name ci --test --expires 2030-01-01",
      ),
    )
    .action(async ({ tenant, name, test, scope, expires }) => {
      const input = parseInput(
        createKeyRequest.omit({ tenantId: true }),
        { name, environment: test ? "test" : "live", scopes: scope, expiresAt: expires },
        { scopes: "--scope", expiresAt: "--expires" },
      );
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await createKey(deps, context, { ...input, tenantId });
        },
        (created) =>
          `${toRecord(toKeyFields(created))}\n\n${created.key}\n\nThis is the only time the key is shown.`,
      );
    });

  keys
    .command("list")
    .description("list the keys of a tenant, newest first, revoked ones included")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("keys list --tenant blue-heron-maps"))
    .action(async ({ tenant, ...page }) => {
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await listKeys(deps, context, { ...page, tenantId });
        },
        (result) => toPageText(result, toKeysTable),
      );
    });

  keys
    .command("revoke")
    .description("revoke a key for good; refused everywhere within a second")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .argument("<key>", "id of the key")
    .addHelpText("after", examples("keys revoke --tenant blue-heron-maps key_…"))
    .action(async (key, options) => {
      const { keyId } = parseInput(keyInput, { keyId: key }, { keyId: "<key>" });
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: options.tenant });
          return await revokeKey(deps, context, { tenantId, keyId });
        },
        (revoked) => toRecord(toKeyFields(revoked)),
      );
    });

  keys
    .command("roll")
    .description("replace a key by a copy with a new text")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .option("--grace <seconds>", `how long the old key still works: ${GRACE_CHOICES}`, "0")
    .argument("<key>", "id of the key")
    .addHelpText("after", examples("keys roll --tenant blue-heron-maps --grace 86400 key_…"))
    .action(async (key, options) => {
      const input = parseInput(
        rollKeyRequest.omit({ tenantId: true }),
        { keyId: key, graceSeconds: Number(options.grace) },
        { keyId: "<key>", graceSeconds: "--grace" },
      );
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: options.tenant });
          return await rollKey(deps, context, { ...input, tenantId });
        },
        (created) =>
          `${toRecord(toKeyFields(created))}\n\n${created.key}\n\nThis is the only time the key is shown.`,
      );
    });

  for (const [verb, disabled] of [
    ["disable", true],
    ["enable", false],
  ] as const) {
    keys
      .command(verb)
      .description(
        disabled
          ? "refuse a key everywhere within a second, until it is enabled again"
          : "let a disabled key work again",
      )
      .requiredOption("--tenant <tenant>", TENANT_TEXT)
      .argument("<key>", "id of the key")
      .addHelpText("after", examples(`keys ${verb} --tenant blue-heron-maps key_…`))
      .action(async (key, options) => {
        const { keyId } = parseInput(keyInput, { keyId: key }, { keyId: "<key>" });
        await cli.run(
          async ({ deps, context }) => {
            const { tenantId } = await getTenantByName(deps, context, { idOrSlug: options.tenant });
            return await updateKey(deps, context, { tenantId, keyId, disabled });
          },
          (changed) => toRecord(toKeyFields(changed)),
        );
      });
  }

  addKeysImportCommand(cli, keys);
}
