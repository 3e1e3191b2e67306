import { constants } from "node:os";
import type { ConnectionTarget } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { CellDirectory } from "#modules/cells/index.ts";
import type { MemberKeys, TenantPlans, TenantResource } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemClock } from "#platform/clock.ts";
import { onStopSignal } from "#platform/stop-signals.ts";
import type { Config } from "../config.ts";
import { commandContext, type Installation, openForCommand } from "../deps.ts";
import { TENANT_RESOURCES } from "../tenant-resources.ts";

/** The open installation that a command works on. */
export type CommandSession = {
  /** Services and the catalogue: what every use case of a command needs. */
  deps: AppServices & {
    plans: TenantPlans;
    memberKeys: MemberKeys;
    resources: readonly TenantResource[];
  };
  context: CallContext;
  config: Config;
  /** Of all cells; undefined where this installation stands alone. */
  directory: CellDirectory | undefined;
  /** Address of the database, for code that opens its own connections. */
  target: ConnectionTarget;
  /** Aborts on a stop signal. */
  signal: AbortSignal;
};

/** The command was stopped by a signal. */
export class CommandInterrupted extends Error {
  override readonly name = "CommandInterrupted";
  readonly code = "INTERRUPTED";
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super("stopped.");
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** The command took longer than it was allowed to. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
  readonly code = "TIMEOUT";
  readonly exitCode = 1;

  constructor(seconds: number) {
    super(
      `no answer within ${String(seconds)} s. Check whether the database answers, or raise --timeout.`,
    );
  }
}

export type RunCommandOptions = {
  config: Config;
  /** Gets the lines of the log. */
  log: { write(line: string): void };
  /** The longest the work may take, seconds; null for work that reports its progress. Opening has limits of its own. */
  timeoutSeconds: number | null;
  /** How long work may continue after a signal, milliseconds. Default 0. */
  graceMs?: number;
  /** Creates a missing installation. Default false. */
  mayCreate?: boolean;
};

function watchForEnd(options: RunCommandOptions) {
  const stopping = new AbortController();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  const timers: NodeJS.Timeout[] = [];
  const endAfter = (ms: number, error: Error) => {
    timers.push(setTimeout(() => ended.reject(error), ms));
  };
  const stopHearing = onStopSignal(systemClock.monotonicMs, (signal) => {
    const error = new CommandInterrupted(signal);
    stopping.abort(error);
    endAfter(options.graceMs ?? 0, error);
  });
  return {
    signal: stopping.signal,
    ended: ended.promise,
    startTimeout: () => {
      if (options.timeoutSeconds !== null) {
        endAfter(options.timeoutSeconds * 1000, new CommandTimeout(options.timeoutSeconds));
      }
    },
    forget: () => {
      stopHearing();
      for (const timer of timers) {
        clearTimeout(timer);
      }
    },
  };
}

function toSession(installation: Installation, signal: AbortSignal): CommandSession {
  const { services, plans, memberKeys, config, database, directory } = installation;
  return {
    deps: { ...services, plans, memberKeys, resources: TENANT_RESOURCES },
    context: commandContext(services),
    config,
    directory,
    target: database.target,
    signal,
  };
}

/**
 * Opens the installation, joining a running one or starting its database, runs the work, and always closes it.
 *
 * @throws {StartupError} with a way out; {@link CommandTimeout}; {@link CommandInterrupted}; what the work throws.
 */
export async function runCommand<Result>(
  options: RunCommandOptions,
  work: (session: CommandSession) => Promise<Result>,
): Promise<Result> {
  // Signals are handled from before the opening until after the closing, so that none leaves a running database behind.
  const end = watchForEnd(options);
  try {
    const installation = await openForCommand(options.config, {
      mayCreate: options.mayCreate ?? false,
      log: options.log,
    });
    try {
      end.signal.throwIfAborted();
      end.startTimeout();
      return await Promise.race([work(toSession(installation, end.signal)), end.ended]);
    } finally {
      await installation.close();
    }
  } finally {
    end.forget();
  }
}
