import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { STATEMENT_CHARACTERS_MAX } from "@turnpike/contract/bank-statements";
import { z } from "zod";
import { importStatement, matchCertainLines } from "#modules/billing/index.ts";
import { type Cli, examples } from "./cli.ts";
import { toInputFileError } from "./input-file-error.ts";
import { parseInput } from "./parse-input.ts";
import { toRecord } from "./print.ts";
import { toBillingDeps } from "./to-billing-deps.ts";

const importOptions = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Three capital letters, ISO 4217.")
    .optional(),
  match: z.boolean().optional(),
});

/** Lines are matched one by one. */
const IMPORT_SECONDS = 600;

async function readStatementFile(path: string): Promise<string> {
  const content = await readFile(path, "utf8").catch((error: Error) => {
    throw toInputFileError(path, [{ pointer: "", message: error.message }]);
  });
  if (content.length > STATEMENT_CHARACTERS_MAX) {
    const message = `It has more than ${String(STATEMENT_CHARACTERS_MAX)} characters: split it.`;
    throw toInputFileError(path, [{ pointer: "", message }]);
  }
  return content;
}

type Result = Awaited<ReturnType<typeof importStatement>> & {
  matched?: number;
};

function toText({ count, fresh, certain, problems, matched }: Result): string {
  const record = toRecord([
    ["Lines", String(count)],
    ["New", String(fresh)],
    ["Certain", String(certain)],
    ...(matched === undefined ? [] : [["Matched", String(matched)] as const]),
    ["Not read", String(problems.length)],
  ]);
  return [
    record,
    ...problems.map(({ line, message }) => `  line ${String(line)}: ${message}`),
  ].join("\n");
}

/** `turnpike payments …`: money that came by transfer. */
export function addPaymentsCommands(cli: Cli): void {
  const payments = cli.program.command("payments").description("take in bank statements");

  payments
    .command("import")
    .description("keep the lines of a bank statement, each once")
    .argument("<file>", "CSV of a bank, or camt.053")
    .option("--currency <code>", "of a CSV that names none")
    .option("--match", "also take lines that are certain as payments")
    .addHelpText(
      "after",
      `
Lines that were imported before are not imported again. They wait in the console, under Billings, All
tenants, Payments, until they are matched. With --match, those are that name the reference of one invoice with right check digits and
are no more than what is due on it.
${examples("payments import statement.xml", "payments import november.csv --currency EUR --match")}`,
    )
    .action(async (file, given) => {
      const { currency, match } = parseInput(importOptions, given);
      const path = cli.toPath(file);
      const content = await readStatementFile(path);
      await cli.run(
        async (session): Promise<Result> => {
          const deps = toBillingDeps(session);
          const { context } = session;
          const input = { name: basename(path), content, currency };
          const imported = await importStatement(deps, context, input);
          return match === true
            ? { ...imported, matched: (await matchCertainLines(deps, context)).matched }
            : imported;
        },
        toText,
        IMPORT_SECONDS,
      );
    });
}
