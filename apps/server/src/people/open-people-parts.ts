import type { Actor } from "@turnpike/domain/access/actor";
import type { FindActor } from "#http/authenticate.ts";
import { createConnectedAgents, MCP_PATH } from "#modules/agents/index.ts";
import { createQueue, prepareCopies } from "#modules/analytics/index.ts";
import { openProviders } from "#modules/billing/index.ts";
import { createPublicCatalog } from "#modules/catalog/index.ts";
import {
  acceptEmulatorTokens,
  createPersonTokens,
  createTokenVerifier,
  createTrustedIssuers,
  createUserDirectory,
  isIdToken,
  isPersonToken,
  isUnsignedToken,
} from "#modules/identity/index.ts";
import { createForecaster, createIncidentFinder } from "#modules/intelligence/index.ts";
import { createSingleSignOn } from "#modules/sso/index.ts";
import { createLogoDrawer, roleDirectory } from "#modules/tenants/index.ts";
import { MEGABYTE, type StorageGuard } from "#platform/storage-guard.ts";
import type { AppInput, WorkerSide } from "../app-input.ts";
import { createBrandLogo } from "../brand-logo.ts";
import { createAttempts } from "../create-attempts.ts";
import { createOperatorReference } from "../operator-reference.ts";
import { toBillingSettings } from "../to-billing-settings.ts";
import { toMailSettings } from "../to-mail-settings.ts";
import { toModelSettings } from "../to-model-settings.ts";
import { toProviderSettings } from "../to-provider-settings.ts";
import type { CallPath } from "../wire-calls.ts";

/** Questions about usage take the connections of the database for seconds: most of these stay free for metering. */
const USAGE_QUERIES = { running: 4, waiting: 50, waitMs: 60_000 };

function queueOf(worker: WorkerSide | undefined) {
  const { running } = USAGE_QUERIES;
  const share = Math.max(1, Math.floor((worker?.connectionsMax ?? Number.POSITIVE_INFINITY) / 5));
  return { ...USAGE_QUERIES, running: Math.min(running, share) };
}

/**
 * Opens what the operations, the raw routes and the mounts of the listener for people share: who people are, and what
 * modules need of the configuration.
 */
export function openPeopleParts(
  input: AppInput,
  wiring: { calls: CallPath; assertMayStore: StorageGuard["assertMayStore"] },
) {
  const { installation, changes, urls, fileStore, worker } = input;
  const { config, services, logger } = installation;
  const { calls, assertMayStore } = wiring;
  const files = {
    ...services,
    fileStore,
    signingSecret: input.signingSecret,
    assertMayStore,
    tenantBytesMax: config.storage.tenantFilesMegabytes * MEGABYTE,
  };
  const tenantBytesMax = config.storage.tenantDocumentsMegabytes * MEGABYTE;
  const { firebase, providers } = config.identity;
  const attemptsOf = createAttempts(input);
  const trustedIssuers = createTrustedIssuers(
    { ...services, outbound: input.outbound },
    { builtin: input.builtinProvider, providers, firebase },
  );
  const verifySigned = createTokenVerifier({ clock: services.clock, issuers: trustedIssuers });
  /** The project whose unsigned tokens are accepted: in development alone. */
  const emulated = firebase?.emulator === undefined ? undefined : firebase.projectId;
  const users = createUserDirectory({
    ...services,
    verifyToken:
      emulated === undefined
        ? verifySigned
        : acceptEmulatorTokens(verifySigned, { clock: services.clock, projectId: emulated }),
    roles: roleDirectory,
    operators: config.identity.operators,
    secondFactor: config.identity.secondFactor,
    requiresSso: createSingleSignOn(input.sso).isRequired,
  });
  changes.subscribe(users.applyChange);
  const personTokens = createPersonTokens({
    ...services,
    findPerson: users.findPerson,
    consoleUrl: urls.console,
  });
  changes.subscribe(personTokens.applyChange);
  /** @throws {AppError} `TENANT_ELSEWHERE` for a key of another cell. */
  const findProgram: FindActor = (credential, findAddress) => {
    const found = calls.keys.findActor(credential, findAddress);
    const { elsewhere } = calls;
    if (elsewhere === undefined) {
      return found;
    }
    const orElsewhere = async (actor: Actor | undefined): Promise<Actor | undefined> => {
      const refusal = actor === undefined ? await elsewhere.ofKey(credential) : undefined;
      if (refusal !== undefined) {
        throw refusal;
      }
      return actor;
    };
    return found instanceof Promise ? found.then(orElsewhere) : (found ?? orElsewhere(undefined));
  };
  const findActor: FindActor = (credential, findAddress) => {
    if (isIdToken(credential) || (emulated !== undefined && isUnsignedToken(credential))) {
      return users.findActor(credential);
    }
    return isPersonToken(credential)
      ? personTokens.findActor(credential)
      : findProgram(credential, findAddress);
  };
  const resource = urls.console + MCP_PATH;
  const connectedAgents = createConnectedAgents({
    ...services,
    findPerson: users.findPerson,
    resource,
  });
  changes.subscribe(connectedAgents.applyChange);
  const devices = {
    ...services,
    attempts: attemptsOf("devices"),
    consoleUrl: urls.console,
  };

  const catalog = createPublicCatalog({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
  });
  changes.subscribe(catalog.applyChange);

  const downloads = {
    ...services,
    fileStore,
    signingSecret: input.signingSecret,
    apiUrl: urls.console,
  };
  const analytics = {
    ...services,
    inTurn: createQueue(queueOf(worker)),
    sumAllTenants: input.clickhouse && prepareCopies(input.clickhouse),
    callLog: calls.callLog,
  };
  const mail = {
    jobs: input.jobs.queue,
    notices: {
      sendsMail: config.mail.smtp !== undefined,
      brandName: config.brand.name,
      consoleUrl: urls.console,
    },
  };
  const billing = {
    ...analytics,
    mail,
    billing: toBillingSettings(config),
    payments: openProviders(toProviderSettings(config)),
  };
  const mailSettings = toMailSettings(config);
  const drawer = createLogoDrawer();
  const findLogo = createBrandLogo({ mark: config.brand.mark, drawer, logger });
  const forecaster = createForecaster();
  const insights = { ...billing, forecaster, findIncidents: createIncidentFinder() };
  const modelSettings = toModelSettings(config);
  const operatorReference = createOperatorReference({
    config,
    urls,
    clock: services.clock,
    list: calls.documents.listReferences,
    signingSecret: input.signingSecret,
  });

  return {
    files,
    tenantBytesMax,
    attemptsOf,
    trustedIssuers,
    verifySigned,
    users,
    findActor,
    resource,
    connectedAgents,
    devices,
    catalog,
    events: calls.events,
    downloads,
    analytics,
    mail,
    billing,
    mailSettings,
    drawer,
    findLogo,
    forecaster,
    insights,
    modelSettings,
    operatorReference,
  };
}

export type PeopleParts = ReturnType<typeof openPeopleParts>;
