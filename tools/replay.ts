import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createProgress } from "../apps/server/src/cli/progress.ts";
import { type Config, readConfig } from "../apps/server/src/config.ts";
import { systemClock } from "../apps/server/src/platform/clock.ts";
import { REPLAY_HOST, startReplayStub } from "../apps/server/src/platform/replay-stub.ts";
import { StartupError, toStartupLine } from "../apps/server/src/platform/startup-error.ts";
import { onStopSignal } from "../apps/server/src/platform/stop-signals.ts";
import { readAccessLog } from "./replay/access-log.ts";
import {
  closeReplayTenant,
  createReplayTenant,
  readLedger,
  reopenReplayTenant,
} from "./replay/replay-installation.ts";
import { type ReplayReport, toReport, toReportText } from "./replay/replay-report.ts";
import {
  LineSet,
  loadState,
  type ReplayState,
  removeState,
  saveState,
} from "./replay/replay-state.ts";
import { type Gateway, probeStub } from "./replay/send-call.ts";
import { ReplayImpossible, ReplayStopped, type SendResult, sendLog } from "./replay/send-log.ts";

const HELP = `Usage: npm run replay -- <access log in combined format> [options]

Sends every line of a real access log through the gateway of the running Turnpike to a stub upstream that answers with the
logged status and size, and compares what was answered with what the ledger holds. Each run makes a tenant of its own.

  --gateway <url>      address of the gateway (default: port GATEWAY_PORT of this machine)
  --concurrency <n>    calls under way at once, 1 to 256 (default: 16)
  --limit <n>          send only the first lines of the file
  --wait <seconds>     go on trying while the gateway does not answer (default: 30)
  --resume             go on with the lines of the last run that were not answered
  --allow-lost <n>     after a kill -9 of the server: answered calls that the ledger may lack, at most those of the group
                       being filled. Calls that were sent and never answered may then be in the ledger, too.
  --stub-port <port>   run the stub here, for an installation with upstreams of its own
  --json               print one JSON document

Exit codes: 0 client and ledger agree; 1 they do not, or the replay stopped; 2 a mistake on the command line.

Example: npm run replay -- ../shared/data/apache_combined.log`;

type Options = {
  path: string;
  gateway: Gateway;
  concurrency: number;
  limit: number;
  waitMs: number;
  resume: boolean;
  allowLost: number;
  stubPort: number | undefined;
  json: boolean;
};

class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A shorter log is sent before anybody wonders how far it is. */
const PROGRESS_LINES_MIN = 1_000;
const SAVE_INTERVAL_MS = 250;
/** A database that was away for long first takes in what waited for it. */
const LEDGER_WAIT_MS = 60_000;
/**
 * After a crash the ledger may never hold what was answered. Then it is read once it has not changed for longer than a busy
 * database takes for a commit and the pause before it.
 */
const LEDGER_SETTLE_MS = 10_000;

function toWhole(name: string, text: string | undefined, bounds: [min: number, max: number]) {
  if (text === undefined) {
    return;
  }
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds[0] && value <= bounds[1])) {
    throw new UsageError(`--${name}: a whole number from ${bounds[0]} to ${bounds[1]}`);
  }
  return value;
}

function toGateway(url: string | undefined, config: Config): Gateway {
  if (url === undefined) {
    const { host } = config.listen;
    const isAny = host === "0.0.0.0" || host === "::";
    return { host: isAny ? "127.0.0.1" : host, port: config.gatewayPort };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" || parsed.pathname !== "/" || parsed.search !== "") {
    throw new UsageError("--gateway: an address such as http://localhost:3001");
  }
  const port = parsed.port === "" ? 80 : Number(parsed.port);
  return { host: parsed.hostname.replace(/^\[|\]$/g, ""), port };
}

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        gateway: { type: "string" },
        concurrency: { type: "string" },
        limit: { type: "string" },
        wait: { type: "string" },
        resume: { type: "boolean" },
        "allow-lost": { type: "string" },
        "stub-port": { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function toOptions(parsed: ReturnType<typeof parseCommandLine>, config: Config): Options {
  const { values, positionals } = parsed;
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError("name one access log");
  }
  return {
    // npm changes to the checkout and keeps here where it was called.
    path: resolve(process.env["INIT_CWD"] ?? process.cwd(), path),
    gateway: toGateway(values.gateway, config),
    concurrency: toWhole("concurrency", values.concurrency, [1, 256]) ?? 16,
    limit: toWhole("limit", values.limit, [1, 1_000_000_000]) ?? Number.POSITIVE_INFINITY,
    waitMs: (toWhole("wait", values.wait, [0, 3600]) ?? 30) * 1000,
    resume: values.resume ?? false,
    allowLost: toWhole("allow-lost", values["allow-lost"], [0, 1_000_000]) ?? 0,
    stubPort: toWhole("stub-port", values["stub-port"], [1, 65_535]),
    json: values.json ?? false,
  };
}

async function hashFile(path: string): Promise<{ sha: string; lines: number }> {
  const hash = createHash("sha256");
  let lines = 0;
  let last = 0x0a;
  try {
    for await (const chunk of createReadStream(path)) {
      const bytes = chunk as Buffer;
      hash.update(bytes);
      for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
        lines += 1;
      }
      last = bytes.at(-1) ?? last;
    }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return { sha: hash.digest("hex").slice(0, 12), lines: lines + (last === 0x0a ? 0 : 1) };
}

async function assertStubReachable(options: Options): Promise<void> {
  const { host, port } = options.gateway;
  const found = await probeStub(options.gateway);
  if (found === "unreachable") {
    throw new ReplayImpossible(
      `no gateway answers at http://${host}:${port}. Start it with npm start, or name it with --gateway.`,
    );
  }
  if (found === "other") {
    const stubPort = options.stubPort ?? 4010;
    throw new ReplayImpossible(
      `the gateway at http://${host}:${port} has upstreams of its own and no replay stub. Add to its turnpike.yaml, restart it, and replay with --stub-port ${stubPort}:

upstreams:
  - name: replay-stub
    url: http://127.0.0.1:${stubPort}
    hosts: [${REPLAY_HOST}]`,
    );
  }
}

/** Sends the log and saves the state, now and then and at every end. */
async function sendWithState(input: {
  options: Options;
  key: string;
  state: ReplayState;
  statePath: string;
  lines: number;
  signal: AbortSignal;
}): Promise<SendResult> {
  const { options, state, statePath } = input;
  const progress = createProgress({
    label: "replay",
    isTerminal: process.stderr.isTTY,
    monotonicMs: () => performance.now(),
    write: (text) => void process.stderr.write(text),
  });
  let saving = Promise.resolve();
  const timer = setInterval(() => {
    saving = saving.then(() => saveState(statePath, state));
    saving.catch(() => undefined);
  }, SAVE_INTERVAL_MS);
  const total = Math.min(input.lines, options.limit);
  let done = 0;
  try {
    return await sendLog({
      ...options,
      key: input.key,
      items: readAccessLog(options.path),
      state,
      signal: input.signal,
      onLine: () => {
        done += 1;
        if (total >= PROGRESS_LINES_MIN) {
          progress.update({ done, total, note: `${state.answered.size} answered` });
        }
      },
    });
  } finally {
    clearInterval(timer);
    progress.end();
    await saving;
    await saveState(statePath, state);
  }
}

async function replay(options: Options, config: Config): Promise<ReplayReport> {
  const log = await hashFile(options.path);
  await assertStubReachable(options);
  const stopping = new AbortController();
  const { signal } = stopping;
  // To the end of the program: an installation that is open then must be closed.
  onStopSignal(systemClock.monotonicMs, () => stopping.abort(new ReplayStopped("stopped.")));
  const statePath = join(config.dataFolder, "replay", `${log.sha}.json`);
  const earlier = options.resume ? await loadState(statePath) : undefined;
  if (options.resume && earlier === undefined) {
    throw new ReplayImpossible("there is no replay of this log to go on with.");
  }
  const startedAtMs = performance.now();
  const tenant =
    earlier === undefined
      ? await createReplayTenant(config, {
          logName: basename(options.path),
          externalId: `replay:${log.sha}:${randomBytes(4).toString("hex")}`,
        })
      : await reopenReplayTenant(config, earlier.tenantId);
  const state = earlier ?? {
    tenantId: tenant.tenantId,
    answered: new LineSet(),
    byStatus: new Map<number, number>(),
    unanswered: 0,
  };
  const { key } = tenant;
  const { lines } = log;
  const result = await sendWithState({ options, key, state, statePath, lines, signal });
  const seconds = (performance.now() - startedAtMs) / 1000;
  const { tenantId } = tenant;
  const wasInterrupted = options.resume || state.unanswered > 0;
  const ledger = await readLedger(config, {
    tenantId,
    calls: state.answered.size,
    settleMs: wasInterrupted ? LEDGER_SETTLE_MS : LEDGER_WAIT_MS,
    waitMs: LEDGER_WAIT_MS,
    signal,
  });
  await closeReplayTenant(config, tenant);
  await removeState(statePath);
  return toReport({
    tenant: { tenantId, slug: tenant.slug },
    state,
    result,
    ledger,
    allowLost: options.allowLost,
    lines,
    seconds,
  });
}

async function main(): Promise<number> {
  const parsed = parseCommandLine();
  if (parsed.values.help) {
    console.log(HELP);
    return 0;
  }
  const config = {
    ...readConfig(process.env, {
      isRoot: process.getuid?.() === 0,
      workingFolder: process.cwd(),
    }),
    logLevel: "warn",
  };
  const options = toOptions(parsed, config);
  const stub =
    options.stubPort === undefined
      ? undefined
      : await startReplayStub({ port: options.stubPort, host: "127.0.0.1" });
  try {
    const report = await replay(options, config);
    console.log(options.json ? JSON.stringify(report, null, 2) : toReportText(report));
    return report.agrees ? 0 : 1;
  } finally {
    await stub?.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`replay: ${error.message}. Add --help to see what there is.`);
    process.exitCode = 2;
  } else if (error instanceof ReplayStopped || error instanceof ReplayImpossible) {
    console.error(`replay: ${error.message}`);
    if (error instanceof ReplayStopped) {
      console.error("What was answered is kept: go on with --resume.");
    }
    process.exitCode = 1;
  } else if (error instanceof StartupError) {
    console.error(toStartupLine(error));
    process.exitCode = 1;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}
