import { createReadStream } from "node:fs";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { IMPORT_ROWS_MAX, type ImportKeysResponse } from "@turnpike/contract/key-import";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { IMPORT_COLUMNS } from "@turnpike/domain/keys/import-table";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { importKeys } from "#modules/keys/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples } from "./cli.ts";
import { InputFileError } from "./input-file-error.ts";
import { toRecord, toTable } from "./print.ts";
import { type FileRow, readImportFile } from "./read-import-file.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";

/** More belong into several files: a run that is stopped is repeated from the start of its file. */
const FILE_ROWS_MAX = 100_000;
/** What is printed; the others are counted. */
const MISTAKES_SHOWN_MAX = 1_000;
/** Time for the transaction under way to end after Ctrl+C. */
const GRACE_MS = 10_000;

/** `row` counts from 1, the line of names not with it; a JSON file may have many rows in one line. */
type RowMistake = { row: number; line: number; pointer: string; message: string };
type NumberedRow = FileRow & { row: number };

export type ImportSummary = {
  dryRun: boolean;
  rows: number;
  imported: number;
  existing: number;
  refused: number;
  errors: RowMistake[];
  /** Mistakes beyond the first thousand. */
  errorsOmitted: number;
};

function addMistakes(
  summary: ImportSummary,
  { row, line }: NumberedRow,
  errors: readonly { pointer: string; message: string }[],
): void {
  const room = Math.max(0, MISTAKES_SHOWN_MAX - summary.errors.length);
  summary.errors.push(...errors.slice(0, room).map((error) => ({ row, line, ...error })));
  summary.errorsOmitted += Math.max(0, errors.length - room);
}

/** Summarises the results of all rows, unreadable ones included, in the order of the file. */
function addOutcomes(
  summary: ImportSummary,
  rows: readonly NumberedRow[],
  answer: ImportKeysResponse | undefined,
): void {
  summary.imported += answer?.imported ?? 0;
  summary.existing += answer?.existing ?? 0;
  summary.refused += answer?.refused ?? 0;
  const items = (answer?.items ?? []).values();
  for (const row of rows) {
    if ("errors" in row) {
      summary.refused += 1;
      addMistakes(summary, row, row.errors);
    } else {
      addMistakes(summary, row, items.next().value?.errors ?? []);
    }
  }
}

/**
 * Imports the rows of a file, a thousand in each transaction, so that what was done before an interruption stays done and a
 * second run goes on behind it.
 *
 * @throws {InputFileError} When the file cannot be read to its end.
 */
export async function importFile(
  { deps, context, signal }: Pick<CommandSession, "deps" | "context" | "signal">,
  input: { tenantId: TenantId; dryRun: boolean; source: AsyncIterable<Buffer> },
): Promise<ImportSummary> {
  const { tenantId, dryRun } = input;
  const summary: ImportSummary = {
    dryRun,
    rows: 0,
    imported: 0,
    existing: 0,
    refused: 0,
    errors: [],
    errorsOmitted: 0,
  };
  let batch: NumberedRow[] = [];

  async function send(): Promise<void> {
    signal.throwIfAborted();
    const rows = batch.flatMap((row) => ("errors" in row ? [] : [row.value]));
    const answer =
      rows.length > 0 ? await importKeys(deps, context, { tenantId, dryRun, rows }) : undefined;
    addOutcomes(summary, batch, answer);
    batch = [];
  }

  for await (const row of readImportFile(input.source)) {
    summary.rows += 1;
    if (summary.rows > FILE_ROWS_MAX) {
      await send();
      throw new InputFileError(
        `A file may have ${toGrouped(FILE_ROWS_MAX)} rows; this one has more. ${dryRun ? "Nothing was" : `The first ${toGrouped(FILE_ROWS_MAX)} were`} imported: split it.`,
      );
    }
    batch.push({ ...row, row: summary.rows });
    if (batch.length === IMPORT_ROWS_MAX) {
      await send();
    }
  }
  await send();
  return summary;
}

async function* openSource(path: string, name: string): AsyncGenerator<Buffer> {
  const stream = name === "-" ? process.stdin : createReadStream(path);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    throw new InputFileError(
      code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${String(code)}).`,
    );
  }
}

function toText(summary: ImportSummary): string {
  const counts = toRecord([
    ["Rows", toGrouped(summary.rows)],
    [summary.dryRun ? "To import" : "Imported", toGrouped(summary.imported)],
    ["There already", toGrouped(summary.existing)],
    ["Refused", toGrouped(summary.refused)],
  ]);
  const mistakes =
    summary.errors.length === 0
      ? ""
      : `\n\n${toTable(
          summary.errors,
          [
            { header: "ROW", value: (error) => String(error.row), align: "right" },
            { header: "LINE", value: (error) => String(error.line), align: "right" },
            { header: "FIELD", value: (error) => error.pointer.slice(1) || "-" },
            { header: "WHAT IS WRONG", value: (error) => error.message },
          ],
          "",
        )}`;
  const more =
    summary.errorsOmitted === 0 ? "" : `\nand ${toGrouped(summary.errorsOmitted)} more mistakes.`;
  return `${counts}${mistakes}${more}`;
}

/** `turnpike keys import`: keys that exist elsewhere, by their hashes. */
export function addKeysImportCommand(cli: Cli, keys: CommandUnknownOpts): void {
  keys
    .command("import")
    .description(
      "import keys that exist elsewhere by their hashes; the same file again changes nothing",
    )
    .requiredOption("--tenant <tenant>", TENANT_TEXT)
    .option("--dry-run", "look at every row and import none")
    .argument("<file>", "CSV or JSON, or - for standard input")
    .addHelpText(
      "after",
      `
A CSV begins with the names of its columns: ${IMPORT_COLUMNS.join(", ")}. A JSON file is an
array of objects with these fields. hash is the SHA-256 of the key's text (hexadecimal or base64) and name what people see;
everything else may be left out. Scopes in a CSV are separated by blanks, metadata is a JSON object.
Rows that are refused are listed with their lines and keep no other out; the program then ends with 1. Stopped anywhere, it
goes on where it was when called again.
${examples("keys import --tenant blue-heron-maps --dry-run keys.csv", "keys import --tenant blue-heron-maps keys.csv")}`,
    )
    .action(async (file, options) => {
      const source = openSource(cli.toPath(file), file);
      const summary = await runCommand(
        {
          config: cli.environment.readConfig(),
          log: cli.environment.errors,
          timeoutSeconds: null,
          graceMs: GRACE_MS,
        },
        async (session) => {
          const { tenantId } = await getTenantByName(session.deps, session.context, {
            idOrSlug: options.tenant,
          });
          return await importFile(session, {
            tenantId,
            dryRun: options.dryRun === true,
            source,
          });
        },
      );
      cli.print(summary, () => toText(summary));
      if (summary.refused > 0) {
        cli.environment.setExitCode(1);
      }
    });
}
