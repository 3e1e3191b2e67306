import type { WebhookNotices } from "#modules/notifications/index.ts";
import { type NotifyDeps, notifyMembers, notifyOperators } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { createGuardedOutbound, type GuardedOutbound } from "#platform/guarded-outbound.ts";
import { createSealer, type Sealer } from "#platform/sealer.ts";
import { ensureSecretFile } from "#platform/secret-file.ts";
import type { Config } from "./config.ts";
import { dataPath } from "./deps.ts";

/** What reads the secrets of webhooks and calls their addresses. Plain data, so that it may go to another thread. */
export type WebhookSettings = { secret: string; allowPrivate: readonly string[] };

/** @throws {StartupError} `SECRET_FILE_UNUSABLE` when the file of the secret holds none. */
export async function readWebhookSettings(config: Config): Promise<WebhookSettings> {
  return {
    secret:
      config.webhookSecret ??
      (await ensureSecretFile(dataPath(config, "secrets"), "webhook-secret")),
    allowPrivate: config.webhooks.allowPrivate,
  };
}

export function openWebhooks({ secret, allowPrivate }: WebhookSettings): {
  sealer: Sealer;
  webhookTargets: GuardedOutbound;
} {
  return {
    sealer: createSealer(secret, "secrets of webhooks"),
    webhookTargets: createGuardedOutbound({ allowPrivate }),
  };
}

/** Tells the members of a tenant, and its owners and admins by mail; of the installation's endpoints the operators by mail. */
export function createWebhookNotices(deps: AppServices & NotifyDeps): WebhookNotices {
  return {
    async notifyDisabled(tx, { tenantId, title, body }) {
      const notice = { kind: "webhook.disabled", subject: title, title, body };
      await (tenantId === null
        ? notifyOperators(deps, tx, notice)
        : notifyMembers(deps, tx, { ...notice, tenantId, link: "/tenants?tab=webhooks" }));
    },
  };
}
