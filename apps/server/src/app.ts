import { createHmac } from "node:crypto";
import type { Server } from "node:http";
import { redactAddress } from "@turnpike/domain/privacy/redact";
import { createProblemRenderer } from "#http/problem-details.ts";
import type { CallLogger, RecentCalls } from "#modules/analytics/index.ts";
import type { ApiGateway } from "#modules/gateway/index.ts";
import { parseTrustedProxies } from "#platform/client-address.ts";
import { isOwnAddress, limitConnections } from "#platform/limit-connections.ts";
import { RecentRequests } from "#platform/loop-watch.ts";
import { createStorageGuard } from "#platform/storage-guard.ts";
import type { AppInput } from "./app-input.ts";
import { createServingHealth, type ServingHealth } from "./serving-health.ts";
import { wireCalls } from "./wire-calls.ts";
import { wirePeople } from "./wire-people.ts";

export type App = {
  people: Server;
  gateway: ApiGateway;
  health(): ServingHealth;
  /** Undefined where calls are not kept. */
  recentCalls: RecentCalls | undefined;
  /** Undefined where calls are not logged. */
  callLogger: CallLogger | undefined;
  /** Of the listener for people. */
  recent: RecentRequests;
};

/** Builds the two listeners and mounts every module; opens no port. */
export function buildApp(input: AppInput): App {
  const renderProblem = createProblemRenderer(`${input.urls.console}/docs`);
  const calls = wireCalls(input, renderProblem);
  const { gateway } = calls;
  const { config, services } = input.installation;
  const storage = createStorageGuard(services, config.storage, { folder: config.dataFolder });
  void storage.look();
  const recent = new RecentRequests();
  const health = createServingHealth({
    ...input,
    documents: calls.documents,
    callLogger: calls.callLogger,
    upstreamHealth: gateway.upstreamHealth,
    storage,
  });
  const people = wirePeople(input, { calls, renderProblem, health, storage, recent });
  people.once("close", storage.stop);
  limitAllConnections(input, { people, gateway });
  const { recentCalls, callLogger } = calls;
  return { people, gateway, health: health.own, recentCalls, callLogger, recent };
}

function limitAllConnections(
  { installation, signingSecret }: AppInput,
  { people, gateway }: Pick<App, "people" | "gateway">,
): void {
  const { config, logger } = installation;
  const digest = (text: string) =>
    createHmac("sha256", signingSecret).update(`address ${text}`).digest("hex");
  const proxies = parseTrustedProxies(config.trustedProxies);
  const connections = {
    perAddressMax: config.listen.maxConnectionsPerAddress,
    isExempt: (address: string) => isOwnAddress(address) || proxies.has(address),
    show: (address: string) => redactAddress(address, config.redaction.addresses, digest),
    logger,
  };
  limitConnections(people, {
    ...connections,
    listener: "people",
    totalMax: config.api.maxConnections,
  });
  limitConnections(gateway.server.server, {
    ...connections,
    listener: "programs",
    totalMax: config.gateway.maxConnections,
  });
}
