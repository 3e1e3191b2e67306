import { playStory } from "@turnpike/domain/billing/rehearsal/play-story";
import { type Cli, examples } from "./cli.ts";
import { type FileMistake, toInputFileError } from "./input-file-error.ts";
import { parseJsonLine, readLines } from "./read-lines.ts";
import { toStoryText } from "./rehearsal/to-story-text.ts";
import { writeLine } from "./write-line.ts";

/** More bad lines say nothing new. */
const MISTAKES_MAX = 100;

async function rehearse(cli: Cli, name: string): Promise<void> {
  const path = cli.toPath(name);
  const mistakes: FileMistake[] = [];
  for await (const { line, text } of readLines(path, name)) {
    const read = parseJsonLine(text);
    if ("fault" in read) {
      mistakes.push({ pointer: `line ${String(line)}`, message: read.fault });
      if (mistakes.length === MISTAKES_MAX) {
        break;
      }
    } else {
      const result = playStory(read.value);
      const shown = cli.isJson() ? JSON.stringify(result) : toStoryText(result);
      await writeLine(cli.environment.output, shown);
    }
  }
  if (mistakes.length > 0) {
    throw toInputFileError(name === "-" ? "Standard input" : path, mistakes);
  }
}

/** `turnpike billing …`: what a catalogue comes to, without an installation. */
export function addBillingCommands(cli: Cli): void {
  const billing = cli.program.command("billing").description("rehearse what customers are billed");

  billing
    .command("rehearse")
    .description("play stories of customers against a catalogue and print their invoices")
    .requiredOption("--stories <file>", "one story as JSON on each line, or - for standard input")
    .addHelpText(
      "after",
      `
A story has a catalogue and what a customer does with it: subscribe, use, change, cancel, pay. The invoices are those that the
same engine would issue for real. It needs no database, and nothing is written. With --json, one result is printed for each
story, on a line of its own. Steps that are refused are part of the result; a line that is not JSON fails the command.
${examples("billing rehearse --stories stories.jsonl", "--json billing rehearse --stories -")}`,
    )
    .action(async (options) => rehearse(cli, options.stories));
}
