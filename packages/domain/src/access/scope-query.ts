/**
 * The scopes a call needs, as text: names of scopes joined by `AND` and `OR`, with parentheses. `AND` binds closer.
 * Example: `maps:read AND (tiles:read OR tiles:write)`.
 */
export type ScopeQuery =
  | { kind: "scope"; name: string }
  | { kind: "all" | "any"; parts: readonly ScopeQuery[] };

/** The longest query, in UTF-16 units, and the deepest: enough for any written by hand, and each call parses it. */
export const SCOPE_QUERY_LENGTH_MAX = 500;
export const SCOPE_QUERY_DEPTH_MAX = 8;

export type ParsedScopeQuery =
  | { ok: true; query: ScopeQuery }
  /** `at` is the index of the first wrong character. */
  | { ok: false; at: number; problem: string };

type Token = { text: string; at: number };

const NAME = /^[a-z][a-z0-9:_-]{0,130}$/;
const TOKEN = /[()]|[^\s()]+/g;

class QueryProblem extends Error {
  override readonly name = "QueryProblem";
  readonly at: number;

  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Reads the tokens in order, each once. */
function createReader(text: string) {
  const tokens: Token[] = [...text.matchAll(TOKEN)].map((match) => ({
    text: match[0],
    at: match.index,
  }));
  let next = 0;
  return {
    peek: (): Token => tokens[next] ?? { text: "", at: text.length },
    take: (): Token => {
      const token = tokens[next] ?? { text: "", at: text.length };
      next += 1;
      return token;
    },
  };
}

type Reader = ReturnType<typeof createReader>;

function readOperand(reader: Reader, depth: number): ScopeQuery {
  const token = reader.take();
  if (token.text === "(") {
    if (depth === SCOPE_QUERY_DEPTH_MAX) {
      throw new QueryProblem(token.at, "Parentheses are nested too deeply.");
    }
    const inner = readJoined(reader, "any", depth + 1);
    const closing = reader.take();
    if (closing.text !== ")") {
      throw new QueryProblem(closing.at, "Here a closing parenthesis, AND or OR is missing.");
    }
    return inner;
  }
  if (!NAME.test(token.text)) {
    throw new QueryProblem(token.at, "Here the name of a scope is missing, such as maps:read.");
  }
  return { kind: "scope", name: token.text };
}

function readJoined(reader: Reader, kind: "all" | "any", depth: number): ScopeQuery {
  const readPart = () =>
    kind === "any" ? readJoined(reader, "all", depth) : readOperand(reader, depth);
  const word = kind === "any" ? "OR" : "AND";
  const first = readPart();
  if (reader.peek().text !== word) {
    return first;
  }
  const parts = [first];
  while (reader.peek().text === word) {
    reader.take();
    parts.push(readPart());
  }
  return { kind, parts };
}

/** Reads a query. Work grows with its length, and texts over {@link SCOPE_QUERY_LENGTH_MAX} are refused unread. */
export function parseScopeQuery(text: string): ParsedScopeQuery {
  if (text.length > SCOPE_QUERY_LENGTH_MAX) {
    const problem = `At most ${String(SCOPE_QUERY_LENGTH_MAX)} characters.`;
    return { ok: false, at: SCOPE_QUERY_LENGTH_MAX, problem };
  }
  const reader = createReader(text);
  try {
    const query = readJoined(reader, "any", 0);
    const rest = reader.peek();
    if (rest.text !== "") {
      throw new QueryProblem(rest.at, "Here AND or OR is missing.");
    }
    return { ok: true, query };
  } catch (error) {
    if (error instanceof QueryProblem) {
      return { ok: false, at: error.at, problem: error.message };
    }
    throw error;
  }
}

/**
 * Finds the scopes missing for a query: for `AND` those of every operand, for `OR` those of the operand that lacks the fewest,
 * the first among equals.
 *
 * @returns Empty when the scopes suffice.
 */
export function findMissingScopes(query: ScopeQuery, held: readonly string[]): readonly string[] {
  switch (query.kind) {
    case "scope":
      return held.includes(query.name) ? [] : [query.name];
    case "all":
      return [...new Set(query.parts.flatMap((part) => findMissingScopes(part, held)))];
    case "any": {
      let fewest: readonly string[] | undefined;
      for (const part of query.parts) {
        const missing = findMissingScopes(part, held);
        if (missing.length === 0) {
          return missing;
        }
        fewest = fewest === undefined || missing.length < fewest.length ? missing : fewest;
      }
      return fewest ?? [];
    }
    default:
      return query satisfies never;
  }
}

/** Every scope that a query names, each once. */
export function listScopes(query: ScopeQuery): readonly string[] {
  return query.kind === "scope" ? [query.name] : [...new Set(query.parts.flatMap(listScopes))];
}
