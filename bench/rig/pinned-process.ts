import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The one core of what serves, and the core of everything that only makes it work: load and upstreams. */
const CORES = { server: "0", load: "1", any: undefined } as const;
export type Core = keyof typeof CORES;

const STOP_TIMEOUT_MS = 20_000;
/** The unit of CPU time in /proc: `USER_HZ`, 100 on every Linux architecture. */
const TICKS_PER_SECOND = 100;

const canPin =
  availableParallelism() >= 2 &&
  spawnSync("taskset", ["-c", "0", "true"], { stdio: "ignore" }).status === 0;

/** Why processes are not pinned, as a remark; nothing when they are. */
export function pinningRemarks(): string[] {
  return canPin
    ? []
    : ["Not pinned: taskset or a second core is missing, so that server and load share cores."];
}

export type PinnedProcess = {
  child: ChildProcess;
  pid: number;
  /** CPU seconds used so far by the process and what it started; 0 where /proc does not tell. */
  cpuSeconds(): number;
  /** Asks it to end, and makes it end when it does not. */
  stop(): Promise<void>;
};

/** Starts a program on one core. Its standard error is ours; an IPC channel is open. */
export function startPinned(
  command: readonly [string, ...string[]],
  options: { core: Core; env?: NodeJS.ProcessEnv; stdout?: "pipe" | "inherit" },
): PinnedProcess {
  const core = CORES[options.core];
  const [program, ...args] =
    canPin && core !== undefined ? (["taskset", "-c", core, ...command] as const) : command;
  const child = spawn(program, args, {
    env: options.env ?? process.env,
    stdio: ["ignore", options.stdout ?? "inherit", "inherit", "ipc"],
  });
  const { pid } = child;
  if (pid === undefined) {
    throw new Error(`${command[0]} could not be started.`);
  }
  return {
    child,
    pid,
    cpuSeconds: () => cpuSecondsOfTree(pid),
    stop: () => stopProcess(child),
  };
}

/**
 * The next message of a process that has an IPC channel.
 *
 * @throws when it ends before, or when the signal aborts.
 */
export async function nextMessage(
  child: ChildProcess,
  options: { who: string; signal: AbortSignal },
): Promise<unknown> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([options.signal, waiting.signal]);
  const ended = once(child, "exit", { signal }).then(() => {
    throw new Error(`${options.who} ended early.`);
  });
  // When the message comes first, the end is of no interest.
  ended.catch(() => undefined);
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message;
  } finally {
    waiting.abort();
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/**
 * CPU seconds that the servers' core has spent so far on anything, other programs included; `undefined` where the system does
 * not say or nothing is pinned.
 */
export function serverCoreSeconds(): number | undefined {
  if (!canPin) {
    return undefined;
  }
  try {
    const line = readFileSync("/proc/stat", "utf8")
      .split("\n")
      .find((candidate) => candidate.startsWith(`cpu${CORES.server} `));
    // user nice system idle iowait irq softirq steal
    const [user, nice, system, , , irq, softirq, steal] = (line ?? "")
      .split(" ")
      .slice(1)
      .map(Number);
    const ticks = [user, nice, system, irq, softirq, steal];
    return ticks.reduce<number>((sum, value) => sum + (value ?? 0), 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** `ticks` count its children that have ended and were waited for as well. */
type ProcessStat = { pid: number; parent: number; ownTicks: number; ticks: number };

function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    // The name, in parentheses, may hold anything; fields are counted from behind it: state is the third of all.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = [11, 12, 13, 14].map((index) => Number(fields[index]));
    const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
    return {
      pid,
      parent: Number(fields[1]),
      ownTicks: sum(ticks.slice(0, 2)),
      ticks: sum(ticks),
    };
  } catch {
    return undefined;
  }
}

/** CPU seconds that a process alone has used so far, all its threads included; 0 where /proc does not tell. */
export function ownCpuSeconds(pid: number): number {
  return (readStat(pid)?.ownTicks ?? 0) / TICKS_PER_SECOND;
}

/** Of the process, all that descend from it, and those of them that have ended and were waited for. */
export function cpuSecondsOfTree(root: number): number {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return 0;
  }
  const stats = names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== undefined);
  const family = new Set([root]);
  // Parents may have larger pids than their children once numbers wrap around: repeat until nothing is added.
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const stat of stats) {
      if (family.has(stat.parent)) {
        family.add(stat.pid);
      }
    }
  }
  const ticks = stats
    .filter((stat) => family.has(stat.pid))
    .reduce((sum, stat) => sum + stat.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}
