import {
  type CreatedKey,
  createdKey,
  createKeyRequest,
  KEY_GRACE_SECONDS,
  type Key,
  key as keyShape,
  rollKeyRequest,
  updateKeyRequest,
} from "@turnpike/contract/keys";
import { keyId as keyIdSchema, pageOf } from "@turnpike/contract/shapes";
import { TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { z } from "zod";
import { createKey, listKeys, revokeKey, rollKey, updateKey } from "#modules/keys/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { KEY_FIELD_NAMES, KEY_OPTION_TEXTS, toKeyInput } from "./key-options.ts";
import { addKeysImportCommand } from "./keys-import-command.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput, toInstant } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import { findFirstCall } from "./remote/first-call.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";
import { UsageError } from "./usage-error.ts";

const SCOPE_OPTION = [
  "--scope <scope...>",
  `what it may do: ${TENANT_KEY_SCOPES.join(", ")}, and scopes that its plan allows`,
] as const;

const GRACE_CHOICES = KEY_GRACE_SECONDS.join(", ");

const keyInput = z.strictObject({ keyId: keyIdSchema });

const toRateLimitText = ({ name, limit, windowSeconds }: Key["rateLimits"][number]): string =>
  `${name}=${String(limit)}/${String(windowSeconds)}`;

const toQuotaText = ({ meter, limit }: Key["quotas"][number]): string =>
  `${meter}=${String(limit)}`;

function toMetadataText(metadata: Key["metadata"]): string {
  const entries = Object.entries(metadata).map(([name, value]) => `${name}=${String(value)}`);
  return entries.join(", ") || "-";
}

function toKeyFields(key: Key): [string, string][] {
  return [
    ["Key", key.keyId],
    ["Name", key.name],
    ["Environment", key.environment],
    ["Start", `${key.start}…${key.lastFour}`],
    ["Scopes", key.scopes.join(", ") || "-"],
    ["Networks", key.allowedNetworks.join(", ") || "anywhere"],
    ["Rate limits", key.rateLimits.map(toRateLimitText).join(", ") || "those of the plan"],
    ["Quotas", key.quotas.map(toQuotaText).join(", ") || "those of the plan"],
    ["Calls at once", key.concurrency === null ? "those of the plan" : String(key.concurrency)],
    ["Metadata", toMetadataText(key.metadata)],
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
    .option("--quiet", "print the key alone, for a variable of the shell")
    .option(...SCOPE_OPTION)
    .option(...KEY_OPTION_TEXTS.network)
    .option(...KEY_OPTION_TEXTS.rateLimit)
    .option(...KEY_OPTION_TEXTS.quota)
    .option(...KEY_OPTION_TEXTS.concurrency)
    .option(...KEY_OPTION_TEXTS.metadata)
    .option(...KEY_OPTION_TEXTS.expires, optionParser(toInstant))
    .addHelpText(
      "after",
      examples(
        "keys create --tenant blue-heron-maps --name production",
        "keys create --tenant blue-heron-maps --name ci --test --expires 2030-01-01",
        "keys create --tenant blue-heron-maps --name edge --network 192.0.2.0/24 --rate-limit burst=100/60",
      ),
    )
    .action(async ({ tenant, name, test, quiet, ...options }) => {
      const input = parseInput(
        createKeyRequest.omit({ tenantId: true }),
        { name, environment: test ? "test" : "live", ...toKeyInput(options) },
        KEY_FIELD_NAMES,
      );
      await cli.runAnywhere<CreatedKey & { firstCall?: string | undefined }>({
        here: async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await createKey(deps, context, { ...input, tenantId });
        },
        there: async (api) => {
          const { tenantId } = await api.getTenant(tenant);
          const path = `/v1/tenants/${tenantId}/keys`;
          const created = await api.call({ method: "POST", path, body: input }, createdKey);
          return { ...created, firstCall: await findFirstCall(api, created.key) };
        },
        toText: ({ firstCall, ...created }) =>
          quiet === true
            ? created.key
            : [
                toRecord(toKeyFields(created)),
                created.key,
                "This is the only time the key is shown.",
                ...(firstCall === undefined ? [] : [`First call:\n  ${firstCall}`]),
              ].join("\n\n"),
      });
    });

  keys
    .command("update")
    .description("change a key; what is not named stays, and an empty text takes all away")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .option("--name <name>", "name that people see")
    .option(...SCOPE_OPTION)
    .option(...KEY_OPTION_TEXTS.network)
    .option(...KEY_OPTION_TEXTS.rateLimit)
    .option(...KEY_OPTION_TEXTS.quota)
    .option(...KEY_OPTION_TEXTS.concurrency)
    .option(...KEY_OPTION_TEXTS.metadata)
    .option(...KEY_OPTION_TEXTS.expires, optionParser(toInstant))
    .option("--no-expires", "take its expiry away")
    .argument("<key>", "id of the key")
    .addHelpText(
      "after",
      examples(
        "keys update --tenant blue-heron-maps --quota requests=10000 key_…",
        'keys update --tenant blue-heron-maps --network "" key_…',
      ),
    )
    .action(async (key, { tenant, name, expires, ...options }) => {
      const input = {
        name,
        ...toKeyInput(options),
        expiresAt: expires === false ? null : expires,
      };
      if (Object.values(input).every((value) => value === undefined)) {
        throw new UsageError("nothing to change: name at least one option, such as --name");
      }
      const change = parseInput(
        updateKeyRequest.omit({ tenantId: true }),
        { keyId: key, ...input },
        { ...KEY_FIELD_NAMES, keyId: "<key>" },
      );
      await cli.run(
        async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await updateKey(deps, context, { ...change, tenantId });
        },
        (changed) => toRecord(toKeyFields(changed)),
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
      await cli.runAnywhere({
        here: async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: tenant });
          return await listKeys(deps, context, { ...page, tenantId });
        },
        there: async (api) => {
          const { tenantId } = await api.getTenant(tenant);
          const path = `/v1/tenants/${tenantId}/keys`;
          return await api.call({ method: "GET", path, query: page }, pageOf(keyShape));
        },
        toText: (result) => toPageText(result, toKeysTable),
      });
    });

  keys
    .command("revoke")
    .description("revoke a key for good; refused everywhere within a second")
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .argument("<key>", "id of the key")
    .addHelpText("after", examples("keys revoke --tenant blue-heron-maps key_…"))
    .action(async (key, options) => {
      const { keyId } = parseInput(keyInput, { keyId: key }, { keyId: "<key>" });
      await cli.runAnywhere({
        here: async ({ deps, context }) => {
          const { tenantId } = await getTenantByName(deps, context, { idOrSlug: options.tenant });
          return await revokeKey(deps, context, { tenantId, keyId });
        },
        there: async (api) => {
          const { tenantId } = await api.getTenant(options.tenant);
          const path = `/v1/tenants/${tenantId}/keys/${keyId}/revoke`;
          return await api.call({ method: "POST", path, body: {} }, keyShape);
        },
        toText: (revoked) => toRecord(toKeyFields(revoked)),
      });
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
