import { playStory } from "@turnpike/domain/billing/rehearsal/play-story";
import { answerJsonLines } from "./answer-json-lines.ts";
import { type Cli, examples } from "./cli.ts";
import { toStoryText } from "./to-story-text.ts";

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
    .action(async ({ stories }) => {
      const answer = (story: unknown) => {
        const result = playStory(story);
        return cli.isJson() ? JSON.stringify(result) : toStoryText(result);
      };
      await answerJsonLines(cli, { name: stories, answer });
    });
}
