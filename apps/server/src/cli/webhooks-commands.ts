import {
  createWebhookRequest,
  SECRET_GRACE_SECONDS,
  WEBHOOK_SUBSCRIPTIONS,
  type Webhook,
  type WebhookDelivery,
  webhookId as webhookIdSchema,
} from "@turnpike/contract/webhooks";
import { z } from "zod";
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  replayDeliveries,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type WebhookOwner,
} from "#modules/notifications/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { openWebhooks, readWebhookSettings } from "../open-webhooks.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { CURSOR_OPTION, LIMIT_OPTION, limitParser, toPageText } from "./page-options.ts";
import { parseInput, toInstant } from "./parse-input.ts";
import { toRecord, toShortInstant, toTable } from "./print.ts";
import type { CommandSession } from "./run-command.ts";

const OWNER_OPTION = {
  flags: "--tenant <tenant>",
  text: "id or slug of the tenant whose endpoints are meant; left out, those of the installation",
} as const;
const ID_TEXT = "id of the endpoint";
const webhookInput = z.strictObject({ webhookId: webhookIdSchema });

function parseId(id: string): string {
  return parseInput(webhookInput, { webhookId: id }, { webhookId: "<webhook>" }).webhookId;
}

/** What is done about webhooks, with what it takes and whose they are. */
async function open({ deps, context, config }: CommandSession, tenant: string | undefined) {
  const owner: WebhookOwner =
    tenant === undefined
      ? "operator"
      : (await getTenantByName(deps, context, { idOrSlug: tenant })).tenantId;
  return { deps: { ...deps, ...openWebhooks(await readWebhookSettings(config)) }, context, owner };
}

function toText(webhook: Webhook): string {
  return toRecord([
    ["Webhook", webhook.webhookId],
    ["Address", webhook.url],
    ["Events", webhook.eventTypes.join(", ")],
    ["State", webhook.state],
    ["Reason", webhook.disabledReason ?? "-"],
    ["Failing since", toShortInstant(webhook.failingSince)],
  ]);
}

function toSecretText(webhook: Webhook & { secret: string }): string {
  return `${toText(webhook)}\n\n${webhook.secret}\n\nThis is the only time the secret is shown.`;
}

function toWebhooksTable(webhooks: readonly Webhook[]): string {
  return toTable(
    webhooks,
    [
      { header: "WEBHOOK", value: (webhook) => webhook.webhookId },
      { header: "STATE", value: (webhook) => webhook.state },
      { header: "FAILING SINCE (UTC)", value: (webhook) => toShortInstant(webhook.failingSince) },
      { header: "EVENTS", value: (webhook) => webhook.eventTypes.join(" ") },
      { header: "ADDRESS", value: (webhook) => webhook.url },
    ],
    "No endpoints yet. Add one: turnpike webhooks create --url https://example.com/webhooks",
  );
}

function toDeliveryText(delivery: WebhookDelivery): string {
  return toRecord([
    ["Message", delivery.messageId],
    ["Type", delivery.type],
    ["State", delivery.state],
  ]);
}

function toDeliveriesTable(deliveries: readonly WebhookDelivery[]): string {
  return toTable(
    deliveries,
    [
      { header: "MESSAGE", value: (delivery) => delivery.messageId },
      { header: "TYPE", value: (delivery) => delivery.type },
      { header: "STATE", value: (delivery) => delivery.state },
      { header: "ATTEMPTS", value: (delivery) => String(delivery.attempts) },
      { header: "STATUS", value: (delivery) => String(delivery.lastStatus ?? "-") },
      { header: "CREATED (UTC)", value: (delivery) => toShortInstant(delivery.createdAt) },
      { header: "NEXT (UTC)", value: (delivery) => toShortInstant(delivery.nextAttemptAt) },
    ],
    "Nothing was sent yet.",
  );
}

/** `turnpike webhooks …`: endpoints of tenants and of the installation. */
export function addWebhooksCommands(cli: Cli): void {
  const webhooks = cli.program
    .command("webhooks")
    .description("add, list, change and test endpoints that hear of events");

  webhooks
    .command("create")
    .description("add an endpoint; its secret is shown once and stored encrypted")
    .requiredOption("--url <url>", "where messages are sent")
    .option(
      "--event <type...>",
      `what it hears of: ${WEBHOOK_SUBSCRIPTIONS.join(", ")}; left out, everything`,
    )
    .option("--description <text>", "what people see beside it")
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .addHelpText(
      "after",
      examples(
        "webhooks create --url https://example.com/webhooks",
        "webhooks create --tenant acme --url https://acme.example/in --event key.revoked",
      ),
    )
    .action(async ({ url, event, description, tenant }) => {
      const input = parseInput(
        createWebhookRequest,
        { url, eventTypes: event, description },
        { url: "--url", eventTypes: "--event", description: "--description" },
      );
      await cli.run(async (session) => {
        const { deps, context, owner } = await open(session, tenant);
        return await createWebhook(deps, context, { ...input, owner });
      }, toSecretText);
    });

  webhooks
    .command("list")
    .description("list endpoints, newest first")
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .addHelpText("after", examples("webhooks list", "webhooks list --tenant acme"))
    .action(async ({ tenant }) => {
      await cli.run(
        async (session) => {
          const { deps, context, owner } = await open(session, tenant);
          return await listWebhooks(deps, context, { owner });
        },
        ({ items }) => toWebhooksTable(items),
      );
    });

  webhooks
    .command("test")
    .description("send a ping to an endpoint; a running server delivers it")
    .argument("<webhook>", ID_TEXT)
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .addHelpText("after", examples("webhooks test whk_… --tenant acme"))
    .action(async (id, { tenant }) => {
      const webhookId = parseId(id);
      await cli.run(async (session) => {
        const { deps, context, owner } = await open(session, tenant);
        return await testWebhook(deps, context, { owner, webhookId });
      }, toDeliveryText);
    });

  webhooks
    .command("deliveries")
    .description("list what was or will be sent to an endpoint, newest first")
    .argument("<webhook>", ID_TEXT)
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .option(LIMIT_OPTION.flags, LIMIT_OPTION.text, limitParser, LIMIT_OPTION.value)
    .option(CURSOR_OPTION.flags, CURSOR_OPTION.text)
    .addHelpText("after", examples("webhooks deliveries whk_… --tenant acme"))
    .action(async (id, { tenant, ...page }) => {
      const webhookId = parseId(id);
      await cli.run(
        async (session) => {
          const { deps, context, owner } = await open(session, tenant);
          return await listDeliveries(deps, context, { ...page, owner, webhookId });
        },
        (result) => toPageText(result, toDeliveriesTable),
      );
    });

  webhooks
    .command("replay")
    .description("begin failed deliveries anew, oldest first, at most a thousand")
    .argument("<webhook>", ID_TEXT)
    .requiredOption(
      "--since <instant>",
      "deliveries that have failed since then",
      optionParser(toInstant),
    )
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .addHelpText("after", examples("webhooks replay whk_… --since 2026-01-15"))
    .action(async (id, { tenant, since }) => {
      const webhookId = parseId(id);
      await cli.run(
        async (session) => {
          const { deps, context, owner } = await open(session, tenant);
          return await replayDeliveries(deps, context, { owner, webhookId, since });
        },
        ({ replayed }) => toRecord([["Begun anew", String(replayed)]]),
      );
    });

  webhooks
    .command("rotate-secret")
    .description("replace the secret; the old one signs beside it for the grace period")
    .argument("<webhook>", ID_TEXT)
    .option("--grace <seconds>", `how long: ${SECRET_GRACE_SECONDS.join(", ")}`, "86400")
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .addHelpText("after", examples("webhooks rotate-secret whk_… --grace 3600"))
    .action(async (id, { tenant, grace }) => {
      const webhookId = parseId(id);
      const { graceSeconds } = parseInput(
        z.strictObject({
          graceSeconds: z.literal(SECRET_GRACE_SECONDS, {
            error: `One of ${SECRET_GRACE_SECONDS.join(", ")}.`,
          }),
        }),
        { graceSeconds: Number(grace) },
        { graceSeconds: "--grace" },
      );
      await cli.run(async (session) => {
        const { deps, context, owner } = await open(session, tenant);
        return await rotateWebhookSecret(deps, context, { owner, webhookId, graceSeconds });
      }, toSecretText);
    });

  for (const [name, enabled] of [
    ["disable", false],
    ["enable", true],
  ] as const) {
    webhooks
      .command(name)
      .description(
        enabled
          ? "let an endpoint hear of what happens from now on"
          : "send nothing more to an endpoint; what waits has failed",
      )
      .argument("<webhook>", ID_TEXT)
      .option(OWNER_OPTION.flags, OWNER_OPTION.text)
      .addHelpText("after", examples(`webhooks ${name} whk_… --tenant acme`))
      .action(async (id, { tenant }) => {
        const webhookId = parseId(id);
        await cli.run(async (session) => {
          const { deps, context, owner } = await open(session, tenant);
          return await updateWebhook(deps, context, { owner, webhookId, enabled });
        }, toText);
      });
  }

  webhooks
    .command("delete")
    .description("delete an endpoint with its deliveries")
    .argument("<webhook>", ID_TEXT)
    .option(OWNER_OPTION.flags, OWNER_OPTION.text)
    .addHelpText("after", examples("webhooks delete whk_… --tenant acme"))
    .action(async (id, { tenant }) => {
      const webhookId = parseId(id);
      await cli.run(
        async (session) => {
          const { deps, context, owner } = await open(session, tenant);
          await deleteWebhook(deps, context, { owner, webhookId });
          return { webhookId };
        },
        () => "Deleted.",
      );
    });
}
