import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import net from "node:net";

/** Where each attempt is written, one a line. Set by `recordConnections`. */
const FILE = process.env["TURNPIKE_TEST_CONNECTIONS"] ?? "";

function note(how: string, host: unknown): void {
  appendFileSync(FILE, `${JSON.stringify({ how, host: String(host) })}\n`);
}

type Anything = (this: unknown, ...args: unknown[]) => unknown;

/** Notes each call before it is made. @param hostOf - undefined: not worth a note. */
function watch(owner: object, name: string, hostOf: (args: readonly unknown[]) => unknown): void {
  const original = Reflect.get(owner, name) as Anything;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    const host = hostOf(args);
    if (host !== undefined) {
      note(name, host);
    }
    return Reflect.apply(original, this, args);
  });
}

/** Of the forms that a socket is connected in: options, a port and a host, a path; the library also hands them on in a list. */
function findHost([first, second]: readonly unknown[]): unknown {
  const given: unknown = Array.isArray(first) ? first[0] : first;
  if (typeof given === "object" && given !== null) {
    const { path, host } = given as { path?: unknown; host?: unknown };
    return path === undefined || path === null ? (host ?? "localhost") : `path:${String(path)}`;
  }
  return typeof given === "number"
    ? typeof second === "string"
      ? second
      : "localhost"
    : `path:${String(given)}`;
}

// Loaded before a program of a test (`node --import`), in each of its threads: what it connects to, looks up or sends a datagram
// to goes through one of these, also when a library does it.
watch(net.Socket.prototype, "connect", findHost);
watch(
  dgram.Socket.prototype,
  "send",
  (args) => args.findLast((arg) => typeof arg === "string") ?? "localhost",
);
watch(dgram.Socket.prototype, "connect", ([, host]) =>
  typeof host === "string" ? host : "localhost",
);
for (const name of [
  "lookup",
  "resolve",
  "resolve4",
  "resolve6",
  "resolveAny",
  "resolveTxt",
  "resolveMx",
  "resolveSrv",
]) {
  watch(dns, name, ([host]) => host);
  watch(dns.promises, name, ([host]) => host);
  if (name !== "lookup") {
    watch(dns.Resolver.prototype, name, ([host]) => host);
    watch(dns.promises.Resolver.prototype, name, ([host]) => host);
  }
}
