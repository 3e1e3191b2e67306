import { compileNetworks } from "../keys/networks.ts";
import { type LoggedRequest, parseHost } from "./logged-request.ts";

/** Selects the requests that meet every condition. A rule without conditions selects all. */
export type LogRule<Target> = {
  /** Exactly this path without its query, or, with `*` at its end, every path that starts so. */
  path?: string | undefined;
  host?: string | undefined;
  user?: string | undefined;
  /** Networks in CIDR notation. */
  clients?: readonly string[] | undefined;
  target: Target;
};

type Condition = (request: LoggedRequest, path: string) => boolean;

function toConditions({ path, host, user, clients }: LogRule<unknown>): Condition[] {
  const conditions: Condition[] = [];
  if (path !== undefined) {
    const start = path.endsWith("*") ? path.slice(0, -1) : undefined;
    conditions.push((_, asked) => (start === undefined ? asked === path : asked.startsWith(start)));
  }
  if (host !== undefined) {
    const parsed = parseHost(host);
    if (parsed?.value === undefined) {
      throw new RangeError(`"${host}" is not a host.`);
    }
    conditions.push((request) => request.host === parsed.value);
  }
  if (user !== undefined) {
    conditions.push((request) => request.user === user);
  }
  if (clients !== undefined) {
    const networks = compileNetworks(clients);
    conditions.push(({ client }) => client !== undefined && networks.has(client));
  }
  return conditions;
}

/**
 * Compiles ordered rules; the first that holds decides. Paths are compared as sent, without decoding.
 *
 * @returns A function that gives the target of the first rule that holds, `undefined` when none does.
 * @throws {RangeError} For clients that are not networks, and for a host that is neither a name nor an address.
 */
export function compileRules<Target>(
  rules: readonly LogRule<Target>[],
): (request: LoggedRequest) => Target | undefined {
  const compiled = rules.map((rule) => ({ conditions: toConditions(rule), target: rule.target }));
  return (request) => {
    const end = request.target.search(/[?#]/);
    const path = end < 0 ? request.target : request.target.slice(0, end);
    return compiled.find(({ conditions }) => conditions.every((holds) => holds(request, path)))
      ?.target;
  };
}
