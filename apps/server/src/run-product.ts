import { listWithoutTests } from "#modules/gateway/index.ts";
import { offerSetupCode } from "#modules/identity/index.ts";
import { prepareUsagePartitions } from "#modules/metering/index.ts";
import { writeAddresses } from "#platform/addresses-file.ts";
import { systemClock } from "#platform/clock.ts";
import { openDataFolder } from "#platform/data-folder.ts";
import { startDemoUpstreams } from "#platform/demo-upstream.ts";
import type { NodeMembership } from "#platform/join-nodes.ts";
import { letHeapGrow } from "#platform/let-heap-grow.ts";
import { probePort } from "#platform/listen.ts";
import { outliveOutput } from "#platform/outlive-output.ts";
import { readVersion } from "#platform/read-version.ts";
import { onStopSignal } from "#platform/stop-signals.ts";
import { watchDatabase } from "#platform/watch-database.ts";
import type { Config } from "./config.ts";
import { type Installation, openInstallation } from "./deps.ts";
import { openNodes, toNodesHealth, toWayHealth } from "./open-nodes.ts";
import { readIdentitySecret } from "./open-sso.ts";
import { type PublicUrls, toPublicUrls } from "./public-urls.ts";
import { samplePathOf } from "./sample-path.ts";
import { serve } from "./serve.ts";
import { startJobs } from "./start-jobs.ts";
import { adoptFormerWorkers, assertPortsCanBeShared, startWorkers } from "./start-workers.ts";

/** For the whole stop: service managers usually kill after this. What is not committed by then is in the journal. */
const STOP_MS = 30_000;

type Running = {
  /** Printed when everything listens. */
  banner: string;
  stop(): Promise<void>;
};

/** What there is to say when everything listens. */
export type Readiness = {
  config: Config;
  urls: PublicUrls;
  /** Names of the upstreams. */
  upstream: string;
  /** Undefined when there is an operator already. */
  setupCode: string | undefined;
};

/** The lines that a start prints. */
export function toBanner(input: Readiness): string {
  const { urls } = input;
  const lines = [
    `${input.config.brand.name} is ready.`,
    `  Console  ${urls.console}`,
    `  API      ${urls.console}/v1 (reference: ${urls.console}/v1/reference)`,
    `  Gateway  ${urls.gateway} -> ${input.upstream}`,
    `  Data     ${input.config.databaseUrl === undefined ? input.config.dataFolder : `${input.config.dataFolder}, database by DATABASE_URL`}`,
  ];
  if (input.config.workers > 1) {
    lines.push(`  Workers  ${String(input.config.workers)}, on the same ports`);
  }
  if (input.config.identity.firebase?.emulator !== undefined) {
    lines.push(
      "  Warning  Firebase's emulator is trusted: anyone on this machine can sign in as anyone",
    );
  }
  if (input.setupCode !== undefined) {
    lines.push(
      `  Setup    ${urls.console}/register#setup=${input.setupCode} (makes you the operator, once)`,
    );
  }
  return `\n${lines.join("\n")}\n`;
}

async function startUpstreams(config: Config) {
  if (config.upstreams !== undefined) {
    const names = config.upstreams.map((upstream) => upstream.name).join(", ");
    return { upstreams: config.upstreams, label: names, stop: () => Promise.resolve() };
  }
  const demo = await startDemoUpstreams();
  return { upstreams: demo.upstreams, label: "the demo API", stop: demo.stop };
}

async function start(
  installation: Installation,
  place: { nodes: NodeMembership; ports: { people: number; programs: number }; version: string },
  toText: (readiness: Readiness) => string,
): Promise<Running> {
  const { nodes, ports, version } = place;
  const { config, services } = installation;
  const { workers } = config;
  await prepareUsagePartitions(services).catch((error: unknown) => {
    // Without them usage is written all the same, and the job tries again.
    installation.logger.error({ err: error }, "Partitions of usage could not be made");
  });
  await adoptFormerWorkers(installation, workers);
  const urls = toPublicUrls(config, ports);
  const jobs = await startJobs(installation);
  const upstreams = await startUpstreams(config);
  const way = watchDatabase({ ...services, target: installation.database.target });
  const shared = {
    health: () => ({ ...toNodesHealth(nodes.others(), version), ...toWayHealth(way.trouble()) }),
  };
  const input = {
    installation,
    ports,
    urls,
    version,
    jobs,
    shared,
    upstreams: upstreams.upstreams,
  };
  const serving =
    workers === 1
      ? await serve({ ...input, folder: config.dataFolder })
      : await startWorkers({ ...input, workers, writeLog: (line) => process.stdout.write(line) });
  const refusing = listWithoutTests(config.upstreams);
  if (refusing.length > 0) {
    installation.logger.info(
      { upstreams: refusing },
      "Calls with test keys are refused: testUrl of turnpike.yaml says where they go, or that they reach the live API",
    );
  }
  const setupCode = await offerSetupCode(services, {
    secret: await readIdentitySecret(config),
    hasOthers: nodes.hasOthers,
  });
  installation.database.endStart();
  await writeAddresses(config.dataFolder, {
    ...urls,
    samplePath: samplePathOf(config),
    upstreams: config.upstreams?.map(({ name, url }) => ({ name, url })),
  });
  return {
    banner: toText({ config, urls, upstream: upstreams.label, setupCode }),
    stop: async () => {
      await serving.stop();
      await Promise.all([jobs.stop(), upstreams.stop()]);
      await Promise.all([nodes.leave(), way.stop()]);
      await installation.close();
    },
  };
}

async function probePorts(config: Config): Promise<{ people: number; programs: number }> {
  const { host } = config.listen;
  if (config.workers > 1) {
    await assertPortsCanBeShared(host);
  }
  for (;;) {
    const people = await probePort({ port: config.port, host, variable: "PORT" });
    const programs = await probePort({ port: config.gatewayPort, host, variable: "GATEWAY_PORT" });
    // The same can only be drawn for a 0, and only once in a long time.
    if (people !== programs) {
      return { people, programs };
    }
  }
}

function end({ logger, config }: Installation, running: Running, signal: NodeJS.Signals): void {
  logger.info({ signal }, "Stopping: calls under way are finished first");
  setTimeout(
    () => {
      logger.error({}, "Stopping took too long: the rest is left to the next start");
      process.exit(1);
    },
    STOP_MS + config.listen.drainSeconds * 1_000,
  );
  running.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, "Stopping failed");
      process.exit(1);
    },
  );
}

/**
 * Runs the product until a signal ends the process.
 *
 * @param toText - Makes what is printed once it is ready. Default: {@link toBanner}.
 * @throws {StartupError} When it does not start; nothing is left running then.
 */
export async function runProduct(
  config: Config,
  toText: (readiness: Readiness) => string = toBanner,
): Promise<void> {
  outliveOutput(process.stdout, process.stderr);
  letHeapGrow();
  const asked: { signal?: NodeJS.Signals; answer?: (signal: NodeJS.Signals) => void } = {};
  // From the beginning: Ctrl+C during the start must not leave a database running.
  onStopSignal(systemClock.monotonicMs, (signal) => {
    asked.signal = signal;
    asked.answer?.(signal);
  });
  // Before the ports: started twice, it is Turnpike itself that has them, and no other program.
  const folder = await openDataFolder(config.dataFolder, {
    onWait: (message) => process.stderr.write(`turnpike: ${message}\n`),
    isCancelled: () => asked.signal !== undefined,
    monotonicMs: systemClock.monotonicMs,
  });
  let ports: { people: number; programs: number };
  try {
    ports = await probePorts(config);
  } catch (error) {
    await folder.release();
    throw error;
  }
  const installation = await openInstallation(config, folder);
  let nodes: NodeMembership | undefined;
  let running: Running;
  try {
    const version = readVersion(config.checkout);
    // Before anything that reads what other nodes wrote, or writes for them.
    nodes = await openNodes(installation, { port: ports.people, version });
    running = await start(installation, { nodes, ports, version }, toText);
  } catch (error) {
    await nodes?.leave();
    await installation.close();
    throw error;
  }
  asked.answer = (signal) => {
    folder.markEnding();
    end(installation, running, signal);
  };
  if (asked.signal === undefined) {
    process.stdout.write(running.banner);
  } else {
    asked.answer(asked.signal);
  }
}
