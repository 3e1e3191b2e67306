import { LOG_FIELDS, type LogFieldNames } from "@turnpike/domain/access-log/parse-json-line";
import { LOG_FORMATS, type LogFormat } from "@turnpike/domain/access-log/parse-log-line";
import { isId, type KeyId } from "@turnpike/domain/ids/ids";
import { toSuggestion } from "@turnpike/domain/text/suggest";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { createRouteDocuments, createUpstreamRouter } from "#modules/gateway/index.ts";
import { createOutbound } from "#platform/outbound.ts";
import type { Config } from "../config.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { type ImportLogsInput, importLogs } from "./history/import-logs.ts";
import { type MapRule, readImportMap } from "./history/import-map.ts";
import type { FileSummary, ImportSummary } from "./history/import-tally.ts";
import { type OpenLog, openLog } from "./history/read-log-lines.ts";
import { resolveRules } from "./history/resolve-rules.ts";
import { toRecord, toTable } from "./print.ts";
import { readOwnUrls } from "./read-own-urls.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

/** Time for the transaction under way to end after Ctrl+C. */
const GRACE_MS = 10_000;
const ROWS_SHOWN = 31;

type Options = {
  tenant?: string;
  key?: KeyId;
  map?: string;
  format: LogFormat;
  field?: LogFieldNames;
  errors?: string;
  strict?: true;
  again?: true;
  dryRun?: true;
};

function parseFormat(text: string): LogFormat {
  const format = LOG_FORMATS.find((name) => name === text);
  if (format === undefined) {
    throw new UsageError(
      `"${text}" is not one of ${LOG_FORMATS.join(", ")}.${toSuggestion(text, LOG_FORMATS)}`,
    );
  }
  return format;
}

function parseKey(text: string): KeyId {
  if (!isId("key", text)) {
    throw new UsageError(`"${text}" is not the id of a key, such as key_0193…`);
  }
  return text;
}

function parseField(text: string): LogFieldNames {
  const [, name = "", own] = /^([A-Za-z]+)=(\S+)$/.exec(text) ?? [];
  const field = LOG_FIELDS.find((known) => known === name);
  if (field === undefined || own === undefined) {
    throw new UsageError(
      `"${text}" does not name a field, as time=asctime does; the fields are ${LOG_FIELDS.join(", ")}.${toSuggestion(name, LOG_FIELDS)}`,
    );
  }
  return { [field]: own };
}

async function readRules(cli: Cli, { tenant, key, map }: Options) {
  if ((tenant === undefined) === (map === undefined)) {
    throw new UsageError("name either --tenant or --map");
  }
  if (key !== undefined && tenant === undefined) {
    throw new UsageError("--key goes with --tenant; in a map, rules name keys");
  }
  if (map !== undefined) {
    const path = cli.toPath(map);
    return { path, rules: await readImportMap(path) };
  }
  const all: MapRule = { tenant: tenant ?? "", ...(key === undefined ? {} : { key }) };
  return { path: undefined, rules: [all] };
}

async function openLogs(cli: Cli, names: readonly string[]): Promise<OpenLog[]> {
  if (names.filter((name) => name === "-").length > 1) {
    throw new UsageError("standard input can be read once");
  }
  const logs: OpenLog[] = [];
  try {
    for (const name of names) {
      logs.push(await openLog(cli.toPath(name), name));
    }
  } catch (error) {
    await closeLogs(logs);
    throw error;
  }
  return logs;
}

async function closeLogs(logs: readonly OpenLog[]): Promise<void> {
  await Promise.all(logs.map((log) => log.close().catch(() => undefined)));
}

function toBytes(logs: readonly OpenLog[]): number | null {
  return logs.reduce<number | null>(
    (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  );
}

function toCountsText<Row extends { calls: number }>(
  rows: readonly Row[],
  header: string,
  value: (row: Row) => string,
): string {
  const shown = rows.slice(0, ROWS_SHOWN);
  const table = toTable(
    shown,
    [
      { header, value },
      { header: "CALLS", value: (row) => toGrouped(row.calls), align: "right" },
    ],
    "",
  );
  const more = rows.length - shown.length;
  return more === 0 ? table : `${table}\nand ${toGrouped(more)} more`;
}

function toFailures(files: readonly FileSummary[]): string[] {
  return files.flatMap(({ name, failure, lines }) =>
    failure === null ? [] : [`${name}: ${failure}, behind line ${toGrouped(lines)}.`],
  );
}

function toBadText(summary: ImportSummary): string[] {
  if (summary.badLines.length === 0) {
    return [];
  }
  const table = toTable(
    summary.badLines,
    [
      { header: "LINE", value: ({ line }) => String(line), align: "right" },
      { header: "FILE", value: ({ file }) => file },
      { header: "WHY IT IS LEFT OUT", value: ({ reason }) => reason },
    ],
    "",
  );
  const { badLinesOmitted } = summary;
  return [badLinesOmitted === 0 ? table : `${table}\nand ${toGrouped(badLinesOmitted)} more.`];
}

function toText(summary: ImportSummary): string {
  const { dryRun, seconds } = summary;
  const counts = toRecord([
    ["Lines", toGrouped(summary.lines)],
    [dryRun ? "To import" : "Imported", toGrouped(summary.imported)],
    ["Imported before", toGrouped(summary.known)],
    ["Ignored by a rule", toGrouped(summary.ignored)],
    ["Without a rule", toGrouped(summary.unmatched)],
    ["Bad", toGrouped(summary.bad)],
    ["Routes", toGrouped(summary.routes.count)],
    ["Took", `${seconds.toFixed(1)} s, ${toGrouped(summary.linesPerSecond)} lines/s`],
  ]);
  const tables =
    summary.imported === 0
      ? []
      : [
          toCountsText(summary.days, "DAY (UTC)", ({ day }) => day),
          toCountsText(summary.statuses, "STATUS", ({ status }) => String(status)),
          toCountsText(summary.routes.most, "ROUTES WITH MOST CALLS", ({ route }) => route),
          toCountsText(summary.tenants, "TENANT", ({ slug }) => slug),
        ];
  const addresses = dryRun
    ? ["A dry run: nothing was written."]
    : summary.tenants.slice(0, ROWS_SHOWN).map(({ console }) => `See it at ${console}`);
  return [
    counts,
    ...tables,
    ...toBadText(summary),
    ...toFailures(summary.files),
    ...addresses,
  ].join("\n\n");
}

function createOnProgress(cli: Cli, total: number | null) {
  const startedAtMs = performance.now();
  const progress = cli.startProgress("import");
  const onProgress: ImportLogsInput["onProgress"] = ({ bytes, lines }) => {
    const seconds = Math.max(0.001, (performance.now() - startedAtMs) / 1000);
    const rate = toGrouped(Math.round(lines / seconds));
    progress.update({ done: bytes, total, note: `${toGrouped(lines)} lines, ${rate}/s` });
  };
  return { onProgress, end: progress.end };
}

/** What the upstreams document now; a document that cannot be read leaves routes to be learned, as at the gateway. */
async function readRouteDocuments({ deps }: CommandSession, { upstreams = [] }: Config) {
  const outbound = createOutbound();
  try {
    const router = createUpstreamRouter(upstreams);
    const documents = createRouteDocuments({ outbound, logger: deps.logger }, router.upstreams);
    await documents.refresh();
    return documents;
  } finally {
    await outbound.close();
  }
}

async function runImport(cli: Cli, names: readonly string[], options: Options) {
  const { path, rules } = await readRules(cli, options);
  const logs = await openLogs(cli, names);
  const progress = createOnProgress(cli, toBytes(logs));
  try {
    const config = cli.environment.readConfig();
    const urls = await readOwnUrls(config);
    return await runCommand(
      { config, log: cli.environment.errors, timeoutSeconds: null, graceMs: GRACE_MS },
      async (session) =>
        importLogs(session, {
          logs,
          rules: await resolveRules(session, { rules, path }),
          line: { format: options.format, names: options.field ?? {} },
          dryRun: options.dryRun === true,
          again: options.again === true,
          errorsPath: options.errors === undefined ? undefined : cli.toPath(options.errors),
          consoleUrl: urls.console,
          documents: await readRouteDocuments(session, config),
          paths: config.redaction.paths,
          onProgress: progress.onProgress,
        }),
    );
  } finally {
    progress.end();
    await closeLogs(logs);
  }
}

/** `turnpike import`: past traffic from access logs. */
export function addImportCommand(cli: Cli): void {
  cli.program
    .command("import")
    .description("import past traffic from access logs; importing a log again changes nothing")
    .option("--tenant <tenant>", "id or slug of the tenant whose traffic it is")
    .option("--key <id>", "a key of that tenant that the calls belong to", optionParser(parseKey))
    .option("--map <file>", "rules that assign requests to tenants, as YAML")
    .option("--format <name>", LOG_FORMATS.join(", "), optionParser(parseFormat), "auto")
    .option(
      "--field <name=own>",
      "name of a field in JSON, such as time=asctime; repeatable",
      (text: string, names: LogFieldNames = {}): LogFieldNames => ({
        ...names,
        ...optionParser(parseField)(text),
      }),
    )
    .option("--dry-run", "read everything and write nothing")
    .option("--errors <file>", "write every line that is left out, with the reason, to this file")
    .option("--strict", "exit with 1 when a line is bad or matches no rule")
    .option("--again", "import a log again that was imported for the same tenants by other rules")
    .argument("<logs...>", "files, compressed with gzip or not, or - for standard input")
    .addHelpText(
      "after",
      `
Formats: common and combined (Apache, nginx), JSON of nginx, JSON of Caddy, detected line by line. Calls keep their times,
appear in the charts and are never billed. Without --key they belong to "Imported history", a revoked key of the tenant.
Lines that cannot be read are listed and left out. An interrupted import continues when called again; of a log that has
grown, only the new lines are imported.
${examples(
  "import --tenant blue-heron-maps --dry-run access.log",
  "import --tenant blue-heron-maps access.log access.log.1 access.log.2.gz",
  "import --map rules.yaml access.log",
)}`,
    )
    .action(async (names, options) => {
      const summary = await runImport(cli, names, options);
      cli.print(summary, () => toText(summary));
      const isIncomplete = summary.files.some(({ failure }) => failure !== null);
      const isRefused = options.strict === true && summary.bad + summary.unmatched > 0;
      if (isIncomplete || isRefused) {
        cli.environment.setExitCode(1);
      }
    });
}
