import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { SAMPLE_PATH_PATTERN } from "@turnpike/domain/routes/sample-path";
import { createKey } from "#modules/keys/index.ts";
import { createTenant, getTenantByName } from "#modules/tenants/index.ts";
import { readAddresses } from "#platform/addresses-file.ts";
import { START_COMMAND } from "#platform/published.ts";
import { type Cli, examples, optionParser } from "../cli.ts";
import { ask } from "../remote/remote-api.ts";
import { RemoteError } from "../remote/remote-error.ts";
import type { CommandSession } from "../run-command.ts";
import { UsageError } from "../usage-error.ts";
import { commandHere } from "./command-here.ts";

const TENANT = { name: "First customer", slug: "first-customer" };

type Trial = { tenant: string; key: string; url: string; status: number; command: string };

function parsePath(text: string): string {
  if (!SAMPLE_PATH_PATTERN.test(text)) {
    throw new UsageError(`"${text}" is no path of an API: write it like /v1/quotes?limit=3`);
  }
  return text;
}

async function ensureTenant({ deps, context }: CommandSession): Promise<TenantId> {
  try {
    return (await getTenantByName(deps, context, { idOrSlug: TENANT.slug })).tenantId;
  } catch (error) {
    if (error instanceof AppError && error.code === "RESOURCE_NOT_FOUND") {
      return (await createTenant(deps, context, TENANT)).tenantId;
    }
    throw error;
  }
}

async function tryOut(session: CommandSession, path: string | undefined): Promise<Trial> {
  const addresses = await readAddresses(session.config.dataFolder);
  if (addresses === undefined) {
    throw new RemoteError(`Turnpike is not running here. Start it: ${START_COMMAND}`);
  }
  const tenantId = await ensureTenant(session);
  const { deps, context } = session;
  const { key } = await createKey(deps, context, {
    tenantId,
    name: "First call",
    environment: "live",
    scopes: [],
    metadata: {},
  });
  const url = addresses.gateway + (path ?? addresses.samplePath);
  const { status, body } = await ask(url, { headers: { Authorization: `Bearer ${key}` } });
  await body?.cancel();
  return { tenant: TENANT.slug, key, url, status, command: commandHere(session.config) };
}

const HTTP_OK_END = 400;
const HTTP_BAD_GATEWAY = 502;

function toAdvice({ status, url, command }: Trial): string {
  if (status < HTTP_OK_END) {
    return "It passed the gateway, and is metered.";
  }
  return status === HTTP_BAD_GATEWAY
    ? "The gateway let it pass and your API gave no answer: start it, and try again."
    : `The gateway let it pass, and your API has nothing for ${new URL(url).pathname}. Name a path that it has: ${command} try /its/path
     Code samples use it when it is landing.samplePath in turnpike.yaml.`;
}

/** What a person reads after the call. */
export function toTrialText(trial: Trial): string {
  return `GET ${trial.url}
${String(trial.status)}  ${toAdvice(trial)}

Call it again:
  KEY=${trial.key}
  curl -H "Authorization: Bearer $KEY" "${trial.url}"

See it in the ledger:
  ${trial.command} usage --tenant ${trial.tenant} --by status`;
}

/** `turnpike try`: the first customer, its first key and its first call, in one command. */
export function addTryCommand(cli: Cli): void {
  cli.program
    .command("try")
    .description(
      "make a customer, unless it is there, and a key, and call the API with it through the gateway",
    )
    .argument(
      "[path]",
      "what to call; left out: the call of the code samples",
      optionParser(parsePath),
    )
    .addHelpText("after", examples("try", "try /v1/quotes"))
    .action(async (path) => {
      await cli.run((session) => tryOut(session, path), toTrialText);
    });
}
