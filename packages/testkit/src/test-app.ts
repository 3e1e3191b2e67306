import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { verifyTokenResponse } from "@turnpike/contract/auth";
import type { RoleName, Scope, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { buildApp } from "../../../apps/server/src/app.ts";
import { readConfig } from "../../../apps/server/src/config.ts";
import { assertDeclared } from "../../../apps/server/src/http/declared-answers.fixture.ts";
import { seedCatalog } from "../../../apps/server/src/modules/catalog/index.ts";
import { tenantPlans } from "../../../apps/server/src/modules/entitlements/index.ts";
import { openFileStore } from "../../../apps/server/src/modules/files/index.ts";
import { addOperator } from "../../../apps/server/src/modules/identity/index.ts";
import {
  createKey,
  createServiceKey,
  memberKeys,
} from "../../../apps/server/src/modules/keys/index.ts";
import { startMetering } from "../../../apps/server/src/modules/metering/index.ts";
import { createTenant, putMember } from "../../../apps/server/src/modules/tenants/index.ts";
import { openClusterRates } from "../../../apps/server/src/open-cluster-rates.ts";
import { openDirectory } from "../../../apps/server/src/open-directory.ts";
import { openKeyPlaces } from "../../../apps/server/src/open-key-places.ts";
import { openSso } from "../../../apps/server/src/open-sso.ts";
import { openWebhooks } from "../../../apps/server/src/open-webhooks.ts";
import type { AppServices } from "../../../apps/server/src/platform/app-services.ts";
import {
  CHANGES_CHANNEL,
  createChangeFeed,
} from "../../../apps/server/src/platform/change-feed.ts";
import { readNewestChange } from "../../../apps/server/src/platform/changes.store.ts";
import { openClickHouse } from "../../../apps/server/src/platform/clickhouse.ts";
import { type Clock, systemClock } from "../../../apps/server/src/platform/clock.ts";
import { type JobQueue, openJobQueue } from "../../../apps/server/src/platform/job-queue.ts";
import { createLogger } from "../../../apps/server/src/platform/logger.ts";
import { newUuidId } from "../../../apps/server/src/platform/new-id.ts";
import { createOutbound } from "../../../apps/server/src/platform/outbound.ts";
import { createListen } from "../../../apps/server/src/platform/postgres-listen.ts";
import { createTransact } from "../../../apps/server/src/platform/transact.ts";
import { BUILTIN_CLIENT_ID, builtinIssuer } from "../../../apps/server/src/public-config.ts";
import { toClickHouseSettings } from "../../../apps/server/src/to-clickhouse-settings.ts";
import { toFileSettings } from "../../../apps/server/src/to-file-settings.ts";
import { createTestIssuer, type TestIssuer, type TestPerson } from "./id-tokens.ts";
import { pollUntil } from "./poll-until.ts";
import { type RecordingUpstream, startRecordingUpstream } from "./recording-upstream.ts";
import { makeTempFolder } from "./temp-folder.ts";
import type { TestDatabase } from "./test-database.ts";
import { createTestServices, OPERATOR_CONTEXT } from "./test-services.ts";

/** An answer whose JSON a test looks into without parsing it first. */
// biome-ignore lint/suspicious/noExplicitAny: a wrong name in a test shows as a failure of that test
export type ApiReply = { status: number; headers: Headers; text: string; json: any };

type TenantKeyScope = (typeof TENANT_KEY_SCOPES)[number];

export type TestApp = {
  /** Addresses without a slash at the end. */
  url: string;
  gatewayUrl: string;
  upstream: RecordingUpstream;
  services: AppServices;
  /** Everything logged so far. */
  logged(): string;
  /**
   * Calls the API with a credential, or with none; an object as body is sent as JSON, a text as it is. Fails when the OpenAPI
   * document does not declare the answer.
   */
  call(
    credential: string | undefined,
    method: string,
    path: string,
    body?: object | string,
  ): Promise<ApiReply>;
  /** Its data folder: the journal, files. */
  dataFolder: string;
  /** The text of a new service key with these scopes. */
  mintServiceKey(scopes: readonly Scope[]): Promise<string>;
  mintTenant(name: string): Promise<TenantId>;
  /** The text of a new live key of a tenant with these scopes. */
  mintKey(tenantId: TenantId, scopes: readonly TenantKeyScope[]): Promise<string>;
  /** Signs ID tokens as the built-in provider does. */
  idTokens: TestIssuer;
  /** An ID token of the built-in provider; for a new person unless one is given. */
  mintIdToken(person?: TestPerson): Promise<string>;
  /** The ID token of an operator. */
  mintOperatorToken(): Promise<string>;
  /** The ID token and the user of a new member with this role in a tenant. */
  mintMember(tenantId: TenantId, role: RoleName): Promise<{ token: string; userId: UserId }>;
  /** Waits until the process has heard every change that is committed by now: a revoked key, a changed plan. */
  hearChanges(): Promise<void>;
  /** Asks the process to stop, as the signal does: the listeners take nothing new. */
  drain(): void;
  close(): Promise<void>;
};

export type TestAppOptions = {
  /** The text of turnpike.yaml. */
  configText?: string;
  env?: Readonly<Record<string, string>>;
  /** What the product takes for the time; its monotonic clock must go on by itself. Left out: that of the system. */
  clock?: Clock;
  /** How often a stream of the API asks again whether its reader may stay, milliseconds. */
  streamHeartbeatMs?: number;
  /** Where calls with test keys go; undefined refuses them. Left out: to the same upstream. */
  testUpstreamUrl?: string | undefined;
  /** Calls that the upstream takes at once. Left out: 512. */
  upstreamPermits?: number;
  /** Public address of the console, without a slash at the end; it listens elsewhere all the same. */
  consoleUrl?: string;
  /** Gets descriptions of programs that connect to `/mcp`. Left out: as the product does. */
  clientDocuments?: Parameters<typeof buildApp>[0]["clientDocuments"];
  /** Port of the gateway. Left out: any free one. */
  gatewayPort?: number;
  /** How the upstream answers. Left out: 200. */
  upstream?: Parameters<typeof startRecordingUpstream>[0];
};

const DRAIN_MS = 5_000;
const IDENTITY_SECRET = "a secret of sign-ins that only tests use";
/** The public address of the console, where a test names no other. */
const CONSOLE_URL = "http://console.test";

/** Opens the queue when it is first used: most tests send nothing, and its tables take a while to make. */
function createLazyQueue(
  database: TestDatabase,
  logger: AppServices["logger"],
): JobQueue & { close(): Promise<void> } {
  let opening: ReturnType<typeof openJobQueue> | undefined;
  return {
    async enqueue(job, payload, options) {
      opening ??= openJobQueue({ target: database.target, logger });
      await (await opening).enqueue(job, payload, options);
    },
    close: async () => await (await opening)?.close(),
  };
}

function captureLog(): { destination: Writable; logged(): string } {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { destination, logged: () => lines.join("") };
}

/**
 * Starts both listeners of the product on random ports of the loopback address, on a test's own database and an upstream
 * that keeps what it was asked. All parts are the real ones, but for the thread of the background jobs.
 */
export async function startTestApp(
  database: TestDatabase,
  options: TestAppOptions = {},
): Promise<TestApp> {
  const { consoleUrl = CONSOLE_URL } = options;
  const folder = await makeTempFolder();
  const upstream = await startRecordingUpstream(options.upstream);
  const configPath = join(folder.path, "turnpike.yaml");
  await writeFile(configPath, options.configText ?? "");
  const config = readConfig(
    { TURNPIKE_CONFIG: configPath, TURNPIKE_DATA_DIR: folder.path, ...options.env },
    { isRoot: false, workingFolder: folder.path },
  );
  const log = captureLog();
  const directory = openDirectory(config);
  const services: AppServices = {
    ...createTestServices(database),
    cellEntries: directory,
    transact: createTransact(database.sql),
    clock: options.clock ?? systemClock,
    newId: newUuidId,
    logger: createLogger({ level: "debug", destination: log.destination }),
  };
  await seedCatalog(services, OPERATOR_CONTEXT, SAMPLE_CATALOG);
  const changes = createChangeFeed({
    ...services,
    listen: createListen(database.target, CHANGES_CHANNEL),
  });
  const metering = await startMetering(
    { ...services, folder: folder.path },
    { groupIntervalMs: 5 },
  );
  const draining = new AbortController();
  const plans = tenantPlans;
  const queue = createLazyQueue(database, services.logger);
  const outbound = createOutbound();
  const idTokens = await createTestIssuer({
    issuer: builtinIssuer(consoleUrl),
    clientId: BUILTIN_CLIENT_ID,
    now: () => new Date(),
  });
  const files = await openFileStore(toFileSettings(config), services);
  const installation = {
    config,
    logger: services.logger,
    database: {
      target: database.target,
      sql: database.sql,
      transact: services.transact,
      endStart: () => undefined,
      close: () => Promise.resolve(),
    },
    services,
    plans,
    memberKeys,
    directory,
    isDatabaseUp: null,
    close: () => Promise.resolve(),
  };
  const clusterRates = await openClusterRates(installation);
  const clickhouseSettings = toClickHouseSettings(config);
  const clickhouse = clickhouseSettings && openClickHouse(clickhouseSettings);
  const keyPlaces = await openKeyPlaces(installation, {
    console: consoleUrl,
    gateway: "http://gateway.test",
  });
  const app = buildApp({
    installation,
    keyPlaces,
    clusterRates,
    clickhouse,
    metering,
    changes,
    upstreams: [
      {
        name: "recording",
        url: upstream.url,
        testUrl: "testUpstreamUrl" in options ? options.testUpstreamUrl : "same",
        timeouts: { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 },
        maxRequestBytes: 1024 * 1024,
        maxConcurrent: options.upstreamPermits,
        preserveHost: false,
      },
    ],
    signingSecret: config.signingSecret ?? "a signing secret that only tests use",
    urls: { console: consoleUrl, gateway: "http://gateway.test" },
    version: "0.0.0-test",
    builtinProvider: idTokens,
    sso: openSso({ config, services, memberKeys }, { consoleUrl, identitySecret: IDENTITY_SECRET }),
    outbound,
    jobs: {
      queue,
      health: () => ({ isAlive: true, lastHeartbeatAgeMs: 0, failedCount: 0, restarts: 0 }),
    },
    fileStore: files.fileStore,
    webhooks: openWebhooks({
      secret: "a secret of webhooks that only tests use",
      allowPrivate: config.webhooks.allowPrivate,
    }),
    draining: draining.signal,
    clientDocuments: options.clientDocuments,
    ...(options.streamHeartbeatMs !== undefined && {
      streamTiming: {
        heartbeatMs: options.streamHeartbeatMs,
        lifetimeMs: 60 * 60_000,
        drainMs: DRAIN_MS,
      },
    }),
  });
  let heard = 0n;
  changes.subscribe((change) => {
    heard = change.kind === "reset" ? heard : change.revision;
  });
  await changes.start();
  const readNewest = () => services.transact.asOperator(readNewestChange);
  // What was committed before the start is in nothing that the process keeps.
  const before = await readNewest();
  heard = before > heard ? before : heard;
  app.people.listen(0, "127.0.0.1");
  await once(app.people, "listening");
  const gateway = await app.gateway.server.listen({
    port: options.gatewayPort ?? 0,
    host: "127.0.0.1",
  });
  const url = `http://127.0.0.1:${String((app.people.address() as AddressInfo).port)}`;

  async function mintUser(): Promise<{ token: string; userId: UserId }> {
    const token = await idTokens.mintIdToken();
    const reply = await fetch(`${url}/auth/verify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const { user } = verifyTokenResponse.parse(await reply.json());
    return { token, userId: user.userId };
  }

  return {
    url,
    idTokens,
    mintIdToken: idTokens.mintIdToken,
    async mintOperatorToken() {
      const { token, userId } = await mintUser();
      await addOperator(services, OPERATOR_CONTEXT, { userId });
      await pollUntil("the operator is known", async () => {
        const reply = await fetch(`${url}/v1/service-keys`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await reply.body?.cancel();
        return reply.status === 200;
      });
      return token;
    },
    async mintMember(tenantId, role) {
      const { token, userId } = await mintUser();
      await putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role });
      await pollUntil("the member is known", async () => {
        const reply = await fetch(`${url}/v1/tenants/${tenantId}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await reply.body?.cancel();
        return reply.status === 200;
      });
      return { token, userId };
    },
    gatewayUrl: `http://127.0.0.1:${String(gateway.port)}`,
    upstream,
    services,
    logged: log.logged,
    dataFolder: folder.path,
    async call(credential, method, path, body) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status, headers } = response;
      const isJson = headers.get("content-type")?.includes("json") === true;
      const json = isJson && text !== "" ? JSON.parse(text) : undefined;
      assertDeclared({ method, path, status, code: status < 400 ? undefined : json?.code });
      return { status, headers, text, json };
    },
    async mintServiceKey(scopes) {
      const input = { name: "Test", scopes: [...scopes] };
      return (await createServiceKey(services, OPERATOR_CONTEXT, input)).key;
    },
    async mintTenant(name) {
      return (await createTenant({ ...services, plans }, OPERATOR_CONTEXT, { name })).tenantId;
    },
    async mintKey(tenantId, scopes) {
      const made = await createKey(services, OPERATOR_CONTEXT, {
        tenantId,
        name: "Test",
        environment: "live",
        scopes: [...scopes],
        metadata: {},
      });
      return made.key;
    },
    async hearChanges() {
      const newest = await readNewest();
      await pollUntil("changes are heard", () => heard >= newest);
    },
    drain() {
      draining.abort();
      app.people.close();
      app.people.closeIdleConnections();
    },
    async close() {
      draining.abort();
      app.people.close();
      app.people.closeAllConnections();
      await Promise.all([
        app.gateway.server.close(DRAIN_MS),
        app.gateway.proxy.close(DRAIN_MS),
        changes.stop(),
        queue.close(),
        outbound.close(),
        files.close(),
        clusterRates?.close(),
        keyPlaces?.stop(),
        directory?.close(),
      ]);
      await metering.stop(DRAIN_MS);
      await app.callLogger?.stop(DRAIN_MS);
      await clickhouse?.close();
      await upstream.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
