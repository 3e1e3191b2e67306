import { implement } from "@orpc/server";
import { operatorWebhooksContract, webhooksContract } from "@turnpike/contract/webhooks";
import type { HttpContext } from "#http/http-context.ts";
import {
  getDelivery,
  listDeliveries,
  replayDeliveries,
  resendDelivery,
  testWebhook,
} from "./manage-deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type WebhooksDeps,
} from "./manage-webhooks.ts";
import { INSTALLATION } from "./webhook-owner.ts";

function ofTenant<Owner, Rest extends object>({
  tenantId: owner,
  ...rest
}: { tenantId: Owner } & Rest) {
  return { ...rest, owner };
}

function ofInstallation<Input extends object>(input: Input) {
  return { ...input, owner: INSTALLATION as typeof INSTALLATION };
}

export function createWebhooksRoutes(deps: WebhooksDeps) {
  const os = implement(webhooksContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) =>
      createWebhook(deps, context.call(), ofTenant(input)),
    ),
    list: os.list.handler(({ input, context }) =>
      listWebhooks(deps, context.call(), ofTenant(input)),
    ),
    get: os.get.handler(({ input, context }) => getWebhook(deps, context.call(), ofTenant(input))),
    update: os.update.handler(({ input, context }) =>
      updateWebhook(deps, context.call(), ofTenant(input)),
    ),
    delete: os.delete.handler(({ input, context }) =>
      deleteWebhook(deps, context.call(), ofTenant(input)),
    ),
    rotateSecret: os.rotateSecret.handler(({ input, context }) =>
      rotateWebhookSecret(deps, context.call(), ofTenant(input)),
    ),
    test: os.test.handler(({ input, context }) =>
      testWebhook(deps, context.call(), ofTenant(input)),
    ),
    listDeliveries: os.listDeliveries.handler(({ input, context }) =>
      listDeliveries(deps, context.call(), ofTenant(input)),
    ),
    getDelivery: os.getDelivery.handler(({ input, context }) =>
      getDelivery(deps, context.call(), ofTenant(input)),
    ),
    resend: os.resend.handler(({ input, context }) =>
      resendDelivery(deps, context.call(), ofTenant(input)),
    ),
    replay: os.replay.handler(({ input, context }) =>
      replayDeliveries(deps, context.call(), ofTenant(input)),
    ),
  });
}

export function createOperatorWebhooksRoutes(deps: WebhooksDeps) {
  const os = implement(operatorWebhooksContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) =>
      createWebhook(deps, context.call(), ofInstallation(input)),
    ),
    list: os.list.handler(({ input, context }) =>
      listWebhooks(deps, context.call(), ofInstallation(input)),
    ),
    get: os.get.handler(({ input, context }) =>
      getWebhook(deps, context.call(), ofInstallation(input)),
    ),
    update: os.update.handler(({ input, context }) =>
      updateWebhook(deps, context.call(), ofInstallation(input)),
    ),
    delete: os.delete.handler(({ input, context }) =>
      deleteWebhook(deps, context.call(), ofInstallation(input)),
    ),
    rotateSecret: os.rotateSecret.handler(({ input, context }) =>
      rotateWebhookSecret(deps, context.call(), ofInstallation(input)),
    ),
    test: os.test.handler(({ input, context }) =>
      testWebhook(deps, context.call(), ofInstallation(input)),
    ),
    listDeliveries: os.listDeliveries.handler(({ input, context }) =>
      listDeliveries(deps, context.call(), ofInstallation(input)),
    ),
    getDelivery: os.getDelivery.handler(({ input, context }) =>
      getDelivery(deps, context.call(), ofInstallation(input)),
    ),
    resend: os.resend.handler(({ input, context }) =>
      resendDelivery(deps, context.call(), ofInstallation(input)),
    ),
    replay: os.replay.handler(({ input, context }) =>
      replayDeliveries(deps, context.call(), ofInstallation(input)),
    ),
  });
}
