import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
} from "@clickhouse/client";
import { AppError } from "@turnpike/domain/errors/app-error";

export type ClickHouseSettings = {
  /** Scheme, host and port. */
  url: string;
  database: string;
  user: string;
  password: string;
  /** Of each statement, milliseconds. */
  timeoutMs: number;
};

/** A row as the columns of its table, in their order. */
export type ClickHouseRow = readonly unknown[];

/**
 * A ClickHouse. Nothing here takes a text of a caller as SQL: values are parameters, `{name:Type}` in the statement.
 * Everything throws {@link clickHouseAway} when it does not answer in time or refuses the user; what a statement itself did
 * wrong is the client's error.
 */
export type ClickHouse = {
  /** Whole numbers of 64 bits and decimals come as text. */
  select<Row>(statement: string, parameters?: Readonly<Record<string, unknown>>): Promise<Row[]>;
  command(statement: string, parameters?: Readonly<Record<string, unknown>>): Promise<void>;
  insert(table: string, rows: readonly ClickHouseRow[]): Promise<void>;
  /** The same with rows that are JSON already, each on a line of its own. */
  insertLines(table: string, lines: readonly string[]): Promise<void>;
  /** @returns Why it cannot be used, in a sentence; undefined when it answers and knows the user and the database. */
  findTrouble(): Promise<string | undefined>;
  close(): Promise<void>;
};

/** Codes of ClickHouse that say no more than that it is busy, shuts down, or does not let this user in. */
const AWAY_CODES: ReadonlySet<string> = new Set([
  // Database, password or rights are not what the settings say.
  ...["81", "192", "193", "194", "195", "497", "516"],
  // Too many queries, memory, read-only replicas, shutting down.
  ...["202", "203", "209", "210", "236", "241", "242", "279", "394", "425", "735"],
]);
/** The time of a statement is over. */
const TOO_SLOW_CODES: ReadonlySet<string> = new Set(["159", "160"]);
const UNKNOWN_TABLE_CODE = "60";
const CONNECTIONS_MAX = 10;
/** A statement may carry rows that are not copied yet. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;
/** The server ends a statement by itself before the client stops waiting. */
const GRACE_MS = 2_000;
const PING_TIMEOUT_MS = 2_000;

export function clickHouseAway(cause: unknown): AppError {
  return new AppError({
    code: "CLICKHOUSE_UNAVAILABLE",
    publicMessage:
      "Questions over all tenants are answered by ClickHouse, which does not answer right now. Try again in a moment.",
    headers: { "retry-after": "10" },
    cause,
  });
}

/** True when a statement was ended because its time was over. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof ClickHouseError && TOO_SLOW_CODES.has(error.code);
}

/** True when a statement names a table that is not there. */
export function isUnknownTable(error: unknown): boolean {
  return error instanceof ClickHouseError && error.code === UNKNOWN_TABLE_CODE;
}

/** What the server says of a statement is passed on; without an answer of the server it is away. */
function toFailure(error: unknown): unknown {
  return error instanceof ClickHouseError && !AWAY_CODES.has(error.code)
    ? error
    : clickHouseAway(error);
}

async function orAway<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}

function toText(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

function createClientOf({ url, database, user, password, timeoutMs }: ClickHouseSettings) {
  return createClient({
    url,
    database,
    username: user,
    password,
    application: "turnpike",
    request_timeout: timeoutMs + GRACE_MS,
    max_open_connections: CONNECTIONS_MAX,
    // Filters of a hundred routes do not fit into an address.
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      max_query_size: String(STATEMENT_BYTES_MAX),
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: 1,
      // A failure half way must be a failure, not the end of an answer.
      wait_end_of_query: 1,
    },
  });
}

function toClickHouse(client: ClickHouseClient, { database }: ClickHouseSettings): ClickHouse {
  return {
    select: <Row>(statement: string, parameters: Readonly<Record<string, unknown>> = {}) =>
      orAway(async () => {
        const result = await client.query({
          query: statement,
          query_params: { ...parameters },
          format: "JSONEachRow",
        });
        return await result.json<Row>();
      }),
    command: (statement, parameters = {}) =>
      orAway(async () => {
        await client.command({ query: statement, query_params: { ...parameters } });
      }),
    insert: (table, rows) =>
      orAway(async () => {
        await client.insert({ table, values: rows, format: "JSONCompactEachRow" });
      }),
    insertLines: (table, lines) =>
      orAway(async () => {
        const { stream } = await client.exec({
          query: `insert into ${table} format JSONCompactEachRow`,
          values: Readable.from([Buffer.from(lines.join("\n"))], { objectMode: false }),
        });
        // The connection is free once the answer, which is empty, is read.
        await buffer(stream);
      }),
    async findTrouble() {
      const abort = AbortSignal.timeout(PING_TIMEOUT_MS);
      try {
        await client.query({ query: "select 1", format: "JSONEachRow", abort_signal: abort });
        return undefined;
      } catch (error) {
        return abort.aborted
          ? `ClickHouse does not answer (database ${database}).`
          : `ClickHouse does not answer (database ${database}): ${toText(error)}.`;
      }
    },
    close: () => client.close(),
  };
}

/** Opens nothing yet: connections are made when they are needed. */
export function openClickHouse(settings: ClickHouseSettings): ClickHouse {
  return toClickHouse(createClientOf(settings), settings);
}
