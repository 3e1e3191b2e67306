import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listWithoutTests } from "#modules/gateway/index.ts";
import { offerSetupCode } from "#modules/identity/index.ts";
import { prepareUsagePartitions } from "#modules/metering/index.ts";
import { systemClock } from "#platform/clock.ts";
import { openDataFolder } from "#platform/data-folder.ts";
import { startDemoUpstreams } from "#platform/demo-upstream.ts";
import { letHeapGrow } from "#platform/let-heap-grow.ts";
import { probePort } from "#platform/listen.ts";
import { outliveOutput } from "#platform/outlive-output.ts";
import { StartupError, toStartupLine } from "#platform/startup-error.ts";
import { onStopSignal } from "#platform/stop-signals.ts";
import { type Config, readConfig } from "./config.ts";
import { type Installation, openInstallation } from "./deps.ts";
import { toPublicUrls } from "./public-urls.ts";
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

function readVersion(checkout: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}

function toBanner(input: {
  config: Config;
  urls: { console: string; gateway: string };
  upstream: string;
  setupCode: string | undefined;
}): string {
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
  ports: { people: number; programs: number },
): Promise<Running> {
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
  const version = readVersion(config.checkout);
  const input = { installation, ports, urls, version, jobs, upstreams: upstreams.upstreams };
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
  const setupCode = await offerSetupCode(services);
  installation.database.endStart();
  return {
    banner: toBanner({ config, urls, upstream: upstreams.label, setupCode }),
    stop: async () => {
      await serving.stop();
      await Promise.all([jobs.stop(), upstreams.stop()]);
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

function end({ logger }: Installation, running: Running, signal: NodeJS.Signals): void {
  logger.info({ signal }, "Stopping: calls under way are finished first");
  setTimeout(() => {
    logger.error({}, "Stopping took too long: the rest is left to the next start");
    process.exit(1);
  }, STOP_MS);
  running.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, "Stopping failed");
      process.exit(1);
    },
  );
}

async function main(): Promise<void> {
  outliveOutput(process.stdout, process.stderr);
  letHeapGrow();
  const config = readConfig(process.env, {
    isRoot: process.getuid?.() === 0,
    workingFolder: process.cwd(),
  });
  const asked: { signal?: NodeJS.Signals; answer?: (signal: NodeJS.Signals) => void } = {};
  // From the beginning: Ctrl+C during the start must not leave a database running.
  onStopSignal(systemClock.monotonicMs, (signal) => {
    asked.signal = signal;
    asked.answer?.(signal);
  });
  // Before the ports: started twice, it is Turnpike itself that has them, and no other program.
  const folder = await openDataFolder(config.dataFolder);
  let ports: { people: number; programs: number };
  try {
    ports = await probePorts(config);
  } catch (error) {
    await folder.release();
    throw error;
  }
  const installation = await openInstallation(config, folder);
  let running: Running;
  try {
    running = await start(installation, ports);
  } catch (error) {
    await installation.close();
    throw error;
  }
  asked.answer = (signal) => end(installation, running, signal);
  if (asked.signal === undefined) {
    process.stdout.write(running.banner);
  } else {
    asked.answer(asked.signal);
  }
}

main().catch((error: unknown) => {
  const isKnown = error instanceof StartupError;
  process.stderr.write(isKnown ? `${toStartupLine(error)}\n` : "");
  if (!isKnown) {
    process.stderr.write(`turnpike: it did not start, and this is a fault of ours:\n`);
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
  process.exit(1);
});
