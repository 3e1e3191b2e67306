import { parseScopeQuery, type ScopeQuery } from "@turnpike/domain/access/scope-query";
import { AppError } from "@turnpike/domain/errors/app-error";

/** A backend has as many scope queries as routes; beyond this they are parsed again. */
const QUERIES_MAX = 1_000;

export type ReadScopeQuery = (text: string) => ScopeQuery;

/**
 * Makes a reader of scope queries that reads each once as long as it remembers it.
 *
 * @returns A function that throws `INVALID_REQUEST` for what is no query.
 */
export function createScopeQueryReader(): ReadScopeQuery {
  const known = new Map<string, ScopeQuery>();
  return (text) => {
    const remembered = known.get(text);
    if (remembered !== undefined) {
      return remembered;
    }
    const parsed = parseScopeQuery(text);
    if (!parsed.ok) {
      const message = `At character ${String(parsed.at + 1)}: ${parsed.problem}`;
      throw new AppError({
        code: "INVALID_REQUEST",
        publicMessage: message,
        errors: [{ pointer: "/scopes", message }],
      });
    }
    if (known.size >= QUERIES_MAX) {
      known.clear();
    }
    known.set(text, parsed.query);
    return parsed.query;
  };
}
