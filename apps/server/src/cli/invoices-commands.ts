import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@turnpike/domain/errors/app-error";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { z } from "zod";
import { countDocuments, EXPORT_FORMATS, exportDocuments } from "#modules/billing/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { type Cli, examples, optionParser } from "./cli.ts";
import { parseInput, toInstant } from "./parse-input.ts";
import { toRecord } from "./print.ts";
import type { Progress } from "./progress.ts";
import { EXIT_FAILED } from "./report-failure.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";
import { toBillingDeps } from "./to-billing-deps.ts";
import { writeWholeFile } from "./write-whole-file.ts";

/** Time for the current file to be written after Ctrl+C. */
const GRACE_MS = 10_000;
/** More of them say nothing new, and any number must fit into memory. */
const REFUSALS_MAX = 1000;

const exportOptions = z.strictObject({
  format: z.enum(EXPORT_FORMATS),
  environment: z.enum(ENVIRONMENTS),
  tenant: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
});
type Options = z.output<typeof exportOptions>;

type Summary = {
  folder: string;
  written: number;
  /** Were there already, from an earlier run. */
  kept: number;
  refused: number;
  /** The first of them, with the reason. */
  refusals: { number: string; reason: string }[];
};

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

/** The message of a document that has no such form; other failures end the command. */
function findRefusal(error: unknown): string {
  if (error instanceof AppError && error.extensions["reason"] === "no_e_invoice") {
    return error.message;
  }
  throw error;
}

async function writeDocuments(
  session: CommandSession,
  { tenant, from, to, format, environment }: Options,
  { folder, progress }: { folder: string; progress: Progress },
): Promise<Summary> {
  const { context, signal } = session;
  const deps = toBillingDeps(session);
  const filters = {
    environment,
    tenantId:
      tenant === undefined
        ? undefined
        : (await getTenantByName(deps, context, { idOrSlug: tenant })).tenantId,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  const total = await countDocuments(deps, context, filters);
  const summary: Summary = { folder, written: 0, kept: 0, refused: 0, refusals: [] };
  for await (const document of exportDocuments(deps, context, { ...filters, format })) {
    signal.throwIfAborted();
    const path = join(folder, document.file);
    if (await isThere(path)) {
      summary.kept += 1;
    } else {
      const content = await document.render().catch((error: unknown) => {
        const reason = findRefusal(error);
        summary.refused += 1;
        if (summary.refusals.length < REFUSALS_MAX) {
          summary.refusals.push({ number: document.number, reason });
        }
      });
      if (content !== undefined) {
        await writeWholeFile(path, content);
        summary.written += 1;
      }
    }
    const done = summary.written + summary.kept + summary.refused;
    progress.update({ done, total: Math.max(total, done), note: `${toGrouped(done)} documents` });
  }
  return summary;
}

function toSummaryText({ folder, written, kept, refused, refusals }: Summary): string {
  const record = toRecord([
    ["Folder", folder],
    ["Files written", toGrouped(written)],
    ["Already there", toGrouped(kept)],
    ["Left out", toGrouped(refused)],
  ]);
  const lines = refusals.map(({ number, reason }) => `  ${number}: ${reason}`);
  const more = refused > refusals.length ? ["  and more"] : [];
  return [record, ...lines, ...more].join("\n");
}

/** `turnpike invoices …`: invoices and credit notes as files. */
export function addInvoicesCommands(cli: Cli): void {
  const invoices = cli.program.command("invoices").description("write invoices to files");

  invoices
    .command("export")
    .description("write every invoice and credit note to a file of its own")
    .requiredOption("--format <format>", EXPORT_FORMATS.join(", "))
    .requiredOption("--out <folder>", "where to; it is made if it is not there")
    .option("--tenant <tenant>", `only those of one tenant: ${TENANT_TEXT}`)
    .option("--from <instant>", "only those issued from then on", optionParser(toInstant))
    .option("--to <instant>", "only those issued before", optionParser(toInstant))
    .option("--environment <environment>", "live, or test for those of sandboxes", "live")
    .addHelpText(
      "after",
      `
A file appears when it is whole. Files that are there already are kept, so an interrupted export continues when it is called again;
csv and json say what was paid by the time they were written. ubl and cii are e-invoices by EN 16931: a document that has no such
form is left out and named with the reason, the others are written, and the exit code is 1. Files of sandboxes are in a folder for
each tenant.
${examples(
  "invoices export --format pdf --out invoices",
  "invoices export --format ubl --out november --from 2026-11-01 --to 2026-12-01",
)}`,
    )
    .action(async ({ out, ...given }) => {
      const options = parseInput(exportOptions, given);
      const folder = cli.toPath(out);
      const progress = cli.startProgress("invoices export");
      const summary = await runCommand(
        {
          config: cli.environment.readConfig(),
          log: cli.environment.errors,
          timeoutSeconds: null,
          graceMs: GRACE_MS,
        },
        (session) => writeDocuments(session, options, { folder, progress }),
      ).finally(progress.end);
      cli.print(summary, () => toSummaryText(summary));
      if (summary.refused > 0) {
        cli.environment.setExitCode(EXIT_FAILED);
      }
    });
}
