import { CommanderError } from "@commander-js/extra-typings";
import { isConnectionError } from "@turnpike/db/database-errors";
import { AppError } from "@turnpike/domain/errors/app-error";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import { StartupError, toStartupLine } from "#platform/startup-error.ts";
import { BackupError } from "./backup/backup-error.ts";
import { InputFileError } from "./input-file-error.ts";
import { OutputFileError } from "./output-file-error.ts";
import { toPrintable, toPrintableJson } from "./print.ts";
import { RemoteError } from "./remote/remote-error.ts";
import { CommandInterrupted, CommandTimeout } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

type Failure = {
  exitCode: number;
  /** For people; undefined when the parser has printed help. */
  line: string | undefined;
  /** For programs: the members of a problem document that apply. */
  problem: Record<string, unknown>;
};

function failed(line: string, problem: Record<string, unknown>): Failure {
  return { exitCode: EXIT_FAILED, line, problem };
}

function describeAppError(error: AppError): Failure {
  // A single one repeats the sentence, with the name of the API for the option.
  const more = error.errors.length > 1 ? error.errors : [];
  const details = more.map((item) => `\n  ${item.pointer}  ${item.message}`).join("");
  return failed(`turnpike: ${error.message}${details}`, {
    ...ERROR_CODES[error.code],
    code: error.code,
    detail: error.message,
    errors: error.errors,
  });
}

const HELP_HINT = "Add --help to see what there is.";

/** A sentence that another one can follow. */
function toSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function describeCommanderError(error: CommanderError): Failure {
  if (error.exitCode === 0) {
    return { exitCode: EXIT_OK, line: undefined, problem: {} };
  }
  const detail = error.message
    .replace(/^error: /, "")
    // The parser library puts its suggestion on a line of its own.
    .replace(/\.?\n\((Did you mean .*\?)\)$/s, ". $1")
    .replace(/\.+$/, "");
  // Help was printed because the command is not complete.
  const isHelp = error.code.startsWith("commander.help");
  return {
    exitCode: EXIT_USAGE,
    line: isHelp ? undefined : `turnpike: ${toSentence(detail)} ${HELP_HINT}`,
    problem: {
      title: "Mistake on the command line",
      code: "USAGE",
      detail: isHelp ? `The command is not complete. ${HELP_HINT}` : detail,
    },
  };
}

/** Exported for tests. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommanderError) {
    return describeCommanderError(error);
  }
  if (error instanceof UsageError) {
    return {
      exitCode: EXIT_USAGE,
      line: `turnpike: ${toSentence(error.message)}${error.isComplete ? "" : ` ${HELP_HINT}`}`,
      problem: {
        title: "Mistake on the command line",
        code: "USAGE",
        detail: error.message,
      },
    };
  }
  if (error instanceof InputFileError) {
    const { message, mistakes } = error;
    return failed(`turnpike: ${message}`, {
      title: "The file cannot be used",
      code: "FILE_INVALID",
      detail: message,
      errors: mistakes,
    });
  }
  if (error instanceof OutputFileError) {
    const { message: detail } = error;
    const title = "The file cannot be written";
    return failed(`turnpike: ${detail}`, { title, code: "FILE_NOT_WRITTEN", detail });
  }
  if (error instanceof RemoteError) {
    const { message: detail, code } = error;
    const title = "The other installation cannot be used";
    return failed(`turnpike: ${detail}`, { title, code, detail });
  }
  if (error instanceof BackupError) {
    const { message: detail, code } = error;
    return failed(`turnpike: ${detail}`, { title: "The backup cannot be used", code, detail });
  }
  if (error instanceof StartupError) {
    const { code, message, hint } = error;
    return failed(toStartupLine(error), {
      title: "The installation cannot be opened",
      code,
      detail: `${message}.`,
      hint: `${hint}.`,
    });
  }
  if (error instanceof AppError) {
    return describeAppError(error);
  }
  if (error instanceof CommandInterrupted || error instanceof CommandTimeout) {
    const { exitCode, message, code } = error;
    const title = "The command did not finish";
    return { exitCode, line: `turnpike: ${message}`, problem: { title, code, detail: message } };
  }
  if (isConnectionError(error)) {
    const { title, status } = ERROR_CODES.DATABASE_UNAVAILABLE;
    const detail = "The connection to the database was lost. Check whether it runs, and try again.";
    return failed(`turnpike: ${detail}`, { title, status, code: "DATABASE_UNAVAILABLE", detail });
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return failed(`turnpike: the command failed because of a fault in Turnpike:\n${stack}`, {
    ...ERROR_CODES.INTERNAL_ERROR,
    code: "INTERNAL_ERROR",
    detail: error instanceof Error ? error.message : String(error),
  });
}

/**
 * Reports why a command failed: one line for people, one JSON document with `isJson`.
 *
 * @param errors - Standard error.
 * @returns The exit code: 1 failed, 2 a mistake on the command line, 0 when help was asked for; 128 and the
 *   number of the signal after one.
 */
export function reportFailure(
  error: unknown,
  { isJson, errors }: { isJson: boolean; errors: NodeJS.WritableStream },
): number {
  const { exitCode, line, problem } = describeFailure(error);
  if (exitCode !== EXIT_OK) {
    if (isJson) {
      errors.write(`${toPrintableJson(problem, 2)}\n`);
    } else if (line !== undefined) {
      errors.write(`${toPrintable(line)}\n`);
    }
  }
  return exitCode;
}
