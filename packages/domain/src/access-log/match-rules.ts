import { compileNetworks } from "../keys/networks.ts";
import { type LoggedRequest, withoutPort } from "./logged-request.ts";

/** Which requests are meant: those for which everything that is said holds. A rule that says nothing means all. */
export type LogRule<Target> = {
  /** Exactly this path, or with `*` at its end all that begin so. The query is no part of it. */
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
    const name = withoutPort(host);
    conditions.push((request) => request.host === name);
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
 * Makes ordered rules ready to be asked: the first that holds decides. Paths are compared as they were sent, nothing is
 * decoded.
 *
 * @returns The target of the first rule that holds; `undefined` when none does.
 * @throws {RangeError} For clients that are no network.
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
