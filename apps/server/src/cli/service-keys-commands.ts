import { createServiceKeyRequest, type ServiceKey } from "@turnpike/contract/keys";
import { serviceKeyId as serviceKeyIdSchema } from "@turnpike/contract/shapes";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { toSuggestion } from "@turnpike/domain/text/suggest";
import { z } from "zod";
import { createServiceKey, listServiceKeys, revokeServiceKey } from "#modules/keys/index.ts";
import { type Cli, examples } from "./cli.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import { UsageError } from "./usage-error.ts";

const serviceKeyInput = z.strictObject({ serviceKeyId: serviceKeyIdSchema });

function stateOf(key: ServiceKey): string {
  return key.revokedAt === null ? "active" : "revoked";
}

function toText(key: ServiceKey): string {
  return toRecord([
    ["Service key", key.serviceKeyId],
    ["Name", key.name],
    ["Start", key.start],
    ["Scopes", key.scopes.join(", ")],
    ["State", stateOf(key)],
  ]);
}

function toServiceKeysTable(keys: readonly ServiceKey[]): string {
  return toTable(
    keys,
    [
      { header: "SERVICE KEY", value: (key) => key.serviceKeyId },
      { header: "NAME", value: (key) => key.name },
      { header: "START", value: (key) => key.start },
      { header: "STATE", value: stateOf },
      { header: "CREATED (UTC)", value: (key) => toShortInstant(key.createdAt) },
      { header: "SCOPES", value: (key) => key.scopes.join(" ") },
    ],
    "No service keys yet. Create one: turnpike service-keys create --name backend --scope keys:verify",
  );
}

/** @throws {UsageError} that names the first that is none, before it lists those that there are. */
function assertScopes(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => !SCOPES.some((known) => known === scope));
  if (wrong !== undefined) {
    throw new UsageError(
      `"${wrong}" is not a scope.${toSuggestion(wrong, SCOPES)} Scopes: ${SCOPES.join(", ")}`,
      { isComplete: true },
    );
  }
}

/** `turnpike service-keys …`: keys of the operator's own programs. */
export function addServiceKeysCommands(cli: Cli): void {
  const serviceKeys = cli.program
    .command("service-keys")
    .description("create, list and revoke keys of your own programs");

  serviceKeys
    .command("create")
    .description("create a service key; it is shown once and stored as a hash")
    .requiredOption("--name <name>", "name that people see")
    .requiredOption("--scope <scope...>", `what it may do: ${SCOPES.join(", ")}`)
    .addHelpText(
      "after",
      examples("service-keys create --name backend --scope keys:verify usage:read"),
    )
    .action(async ({ name, scope }) => {
      assertScopes(scope);
      const input = parseInput(
        createServiceKeyRequest,
        { name, scopes: scope },
        { scopes: "--scope" },
      );
      await cli.run(
        ({ deps, context }) => createServiceKey(deps, context, input),
        (created) =>
          `${toText(created)}\n\n${created.key}\n\nThis is the only time the key is shown.`,
      );
    });

  serviceKeys
    .command("list")
    .description("list service keys, newest first, revoked ones included")
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("service-keys list"))
    .action(async (page) => {
      await cli.run(
        ({ deps, context }) => listServiceKeys(deps, context, page),
        (result) => toPageText(result, toServiceKeysTable),
      );
    });

  serviceKeys
    .command("revoke")
    .description("revoke a service key for good")
    .argument("<service-key>", "id of the service key")
    .addHelpText("after", examples("service-keys revoke svc_…"))
    .action(async (id) => {
      const input = parseInput(
        serviceKeyInput,
        { serviceKeyId: id },
        { serviceKeyId: "<service-key>" },
      );
      await cli.run(({ deps, context }) => revokeServiceKey(deps, context, input), toText);
    });
}
