import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { COMPILE_CACHE, NODE_24, ROOT } from "./paths.mjs";

/**
 * Flags of Node for what serves or manages an installation, its threads included: no object leads to the prototype of all
 * objects by a name that input may contain.
 */
export const PRODUCT_FLAGS = ["--disable-proto=delete"];

/** @type {NodeJS.Signals[]} */
const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Ctrl+C reaches this process from the terminal and again from npm. */
const SAME_SIGNAL_MS = 1_000;
const ORPHAN_CHECK_INTERVAL_MS = 250;
/** A program that was asked to end has this long before it is ended. */
const END_GRACE_MS = 10_000;
/** What a shell says of a program that `timeout` ended. */
export const TIMED_OUT = 124;

/**
 * Runs a program on Node 24 in the foreground, passing signals on once.
 *
 * @param {string[]} args What follows `node`; relative to the checkout.
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, timeLimitMs?: number, onSignal?: () => void }} [options]
 *   `timeLimitMs`: it is ended then. `onSignal`: called when a signal asks for an end.
 * @returns {Promise<number>} The exit code, as a shell counts it: 128 and the number of the signal, or `TIMED_OUT`.
 */
export function runProgram(args, options = {}) {
  const child = spawn(NODE_24, args, {
    cwd: options.cwd ?? ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...(options.env ?? process.env) },
    stdio: "inherit",
  });
  const stopForwarding = forwardSignals(child, options.onSignal);
  const limit = limitTime(child, options.timeLimitMs);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      stopForwarding();
      limit.clear();
      resolve(limit.isOver() ? TIMED_OUT : (code ?? 128 + constants.signals[signal]));
    });
  });
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {number | undefined} timeLimitMs
 */
function limitTime(child, timeLimitMs) {
  let isOver = false;
  const timers =
    timeLimitMs === undefined
      ? []
      : [
          setTimeout(() => {
            isOver = true;
            child.kill("SIGTERM");
          }, timeLimitMs),
          setTimeout(() => child.kill("SIGKILL"), timeLimitMs + END_GRACE_MS),
        ];
  return { isOver: () => isOver, clear: () => timers.forEach(clearTimeout) };
}

/**
 * Passes on to a child what ends this process.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {() => void} [onSignal]
 * @returns {() => void} Ends it.
 */
export function forwardSignals(child, onSignal = () => undefined) {
  const lastAtMs = new Map();
  const forward = (signal) => {
    onSignal();
    const nowMs = performance.now();
    if (nowMs - (lastAtMs.get(signal) ?? Number.NEGATIVE_INFINITY) > SAME_SIGNAL_MS) {
      lastAtMs.set(signal, nowMs);
      child.kill(signal);
    }
  };
  for (const signal of FORWARDED) {
    process.on(signal, forward);
  }
  const stopWatching = watchNpm(() => forward("SIGTERM"));
  return () => {
    stopWatching();
    for (const signal of FORWARDED) {
      process.off(signal, forward);
    }
  };
}

/**
 * Notices that npm was ended. npm passes SIGTERM to its shell only, and Debian's dies of it without a word to us; a
 * `kill -9` of npm reaches no other process at all. Without npm around it, an orphan is what the caller wanted.
 *
 * @param {() => void} onEnd
 * @returns {() => void} Ends it.
 */
function watchNpm(onEnd) {
  if (process.env.npm_lifecycle_event === undefined) {
    return () => undefined;
  }
  const before = describeAncestors();
  const timer = setInterval(() => {
    if (describeAncestors() !== before) {
      clearInterval(timer);
      onEnd();
    }
  }, ORPHAN_CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The shell's pid and, where /proc tells it, that of npm. A shell that gave its place away leaves npm itself as the parent. */
function describeAncestors() {
  const folder = `/proc/${process.ppid}`;
  try {
    const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`${folder}/status`, "utf8"))?.[1];
    const isNpm = /^np[mx]\b/.test(readFileSync(`${folder}/cmdline`, "utf8"));
    return isNpm ? String(process.ppid) : `${process.ppid} ${parent}`;
  } catch {
    return String(process.ppid);
  }
}

/**
 * Runs a program to its end and keeps what it says.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} Standard output and standard error as they came.
 */
export function captureProgram(program, args, options = {}) {
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: options.env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  child.stderr.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}
