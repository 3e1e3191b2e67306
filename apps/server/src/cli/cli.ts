import { resolve } from "node:path";
import { Command, Help, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Config } from "../config.ts";
import { createProgress, type Progress } from "./progress.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

/** The surroundings of the program, read once in its entry. */
export type CliEnvironment = {
  readConfig(): Config;
  /** What relative paths on the command line are relative to. */
  workingFolder: string;
  /** True when somebody watches: progress is then drawn in place. */
  isTerminal: boolean;
  setExitCode(code: number): void;
};

const TIMEOUT_SECONDS_DEFAULT = 60;
const TIMEOUT_SECONDS_MAX = 86_400;

const CLOSING_HELP = `
Exit codes: 0 done; 1 failed, or reconcile found drift; 2 the command line cannot be understood.
With --json, standard output is one JSON document, and a failure is one on standard error.
Commands join the database of a running Turnpike, or start it for their own time; only demo makes an installation where
there is none. Which installation they mean is said by
TURNPIKE_DATA_DIR, TURNPIKE_CONFIG and DATABASE_URL, as for the server.`;

/** Makes an option's parser out of one that throws {@link UsageError}, which the parser library does not know. */
export function optionParser<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof UsageError) {
        throw new InvalidArgumentError(error.message);
      }
      throw error;
    }
  };
}

function parseTimeout(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > TIMEOUT_SECONDS_MAX) {
    throw new UsageError(`"${text}" is not a number of seconds from 1 to ${TIMEOUT_SECONDS_MAX}`);
  }
  return seconds;
}

const plainHelp = new Help();

/** The program without its commands. It throws where the parser library would end the process. */
export function createProgram() {
  const command = new Command("turnpike");
  return (
    command
      .description("Runs and inspects a Turnpike installation.")
      .option("--json", "print one JSON document instead of text")
      .option(
        "--timeout <seconds>",
        "give up after this long",
        optionParser(parseTimeout),
        TIMEOUT_SECONDS_DEFAULT,
      )
      .showHelpAfterError(false)
      .configureHelp({
        optionDescription: (option) =>
          `${plainHelp.optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
      })
      .exitOverride()
      // The entry reports failures itself, in one form for all of them.
      .configureOutput({
        outputError: () => undefined,
        writeErr: (text) => {
          // With --json, standard error holds the one document that the entry writes.
          if (!("json" in command.opts())) {
            process.stderr.write(text);
          }
        },
      })
      .addHelpText("after", CLOSING_HELP)
  );
}

export type Program = ReturnType<typeof createProgram>;

/** What the commands share. */
export type Cli = {
  program: Program;
  environment: CliEnvironment;
  /**
   * Does work on the opened installation and prints its result: as JSON, or as text made by `toText`.
   *
   * @param timeoutSecondsDefault - For work that takes longer than others; an explicit `--timeout` goes before it.
   */
  run<Result>(
    work: (session: CommandSession) => Promise<Result>,
    toText: (result: Result) => string,
    timeoutSecondsDefault?: number,
  ): Promise<Result>;
  /** Prints one result: `value` as JSON, or `text`. */
  print(value: unknown, text: () => string): void;
  isJson(): boolean;
  timeoutSeconds(): number;
  /** Tells how far something is; nothing to a program that reads one JSON document of a failure there. */
  startProgress(label: string): Progress;
  toPath(relative: string): string;
};

export function createCli(environment: CliEnvironment): Cli {
  const program = createProgram();
  const isJson = () => program.opts().json === true;
  const timeoutSeconds = () => program.opts().timeout;
  const print = (value: unknown, text: () => string) => {
    // One line, so that a program finds it behind whatever the package manager prints first.
    process.stdout.write(`${isJson() ? JSON.stringify(value) : text()}\n`);
  };
  return {
    program,
    environment,
    print,
    isJson,
    timeoutSeconds,
    startProgress: (label) =>
      createProgress({
        label,
        isTerminal: environment.isTerminal,
        monotonicMs: () => performance.now(),
        write: (text) => {
          if (environment.isTerminal || !isJson()) {
            process.stderr.write(text);
          }
        },
      }),
    run: async (work, toText, timeoutSecondsDefault) => {
      const isAsked = program.getOptionValueSource("timeout") !== "default";
      const seconds = isAsked ? timeoutSeconds() : (timeoutSecondsDefault ?? timeoutSeconds());
      const options = { config: environment.readConfig(), timeoutSeconds: seconds };
      const result = await runCommand(options, work);
      print(result, () => toText(result));
      return result;
    },
    toPath: (relative) => resolve(environment.workingFolder, relative),
  };
}

/** Examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ turnpike ${line}`).join("\n")}`;
}
