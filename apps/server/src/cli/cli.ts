import { resolve } from "node:path";
import { Command, Help, InvalidArgumentError } from "@commander-js/extra-typings";
import type { Config } from "../config.ts";
import { toPrintable, toPrintableJson } from "./print.ts";
import { createProgress, type Progress } from "./progress.ts";
import { type Logins, openLogins } from "./remote/logins.ts";
import { parseRemoteAddress } from "./remote/remote-address.ts";
import { createRemoteApi, type RemoteApi } from "./remote/remote-api.ts";
import { RemoteError } from "./remote/remote-error.ts";
import { type CommandSession, runCommand } from "./run-command.ts";
import type { StartRequest } from "./start/start-product.ts";
import { UsageError } from "./usage-error.ts";

/** The surroundings of the program, read once in its entry. */
export type CliEnvironment = {
  readConfig(): Config;
  /** The folder that relative paths on the command line start from. */
  workingFolder: string;
  /** Standard output: results, and help that was asked for. */
  output: NodeJS.WritableStream;
  /** Standard error: failures and progress. */
  errors: NodeJS.WritableStream;
  /** True when standard error is a terminal: progress is then drawn in place. */
  isTerminal: boolean;
  setExitCode(code: number): void;
  /** Starts the product and resolves once it is ready; left out: it cannot be started from here. */
  startProduct?: (request: StartRequest) => Promise<void>;
  /** For commands on other installations. Left out: there are none. */
  remote?: RemoteSurroundings;
};

export type RemoteSurroundings = {
  /** The user's folder for settings of programs. */
  configFolder: string;
  wait(ms: number): Promise<void>;
};

const TIMEOUT_SECONDS_DEFAULT = 60;
const TIMEOUT_SECONDS_MAX = 86_400;

const CLOSING_HELP = `
Exit codes: 0 done; 1 failed, reconcile found drift, catalog diff found a difference, or invoices export left one out; 2 mistake on the command line.
With --json, standard output is one JSON document, and a failure is one on standard error.
Commands join the database of a running Turnpike, or start it while they run. Only start and demo create an installation.
With --at, login, whoami, tenants list, keys create, list and revoke, and usage work on another installation, as you.
TURNPIKE_DATA_DIR, TURNPIKE_CONFIG and DATABASE_URL name the installation, as for the server.`;

/** Turns a parser that throws {@link UsageError} into one for the parser library, which does not know that error. */
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

/** Creates the program without its commands. It throws where the parser library would end the process. */
export function createProgram({ output, errors }: Pick<CliEnvironment, "output" | "errors">) {
  const command = new Command("turnpike");
  return (
    command
      .description("Runs and inspects a Turnpike installation.")
      .option("--json", "print one JSON document instead of text")
      .option(
        "--at <address>",
        "work on the installation at this address, where you are signed in",
        optionParser(parseRemoteAddress),
      )
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
      // The entry reports all failures in one form.
      .configureOutput({
        outputError: () => undefined,
        writeOut: (text) => output.write(text),
        writeErr: (text) => {
          // With --json, standard error holds only the document that the entry writes.
          if (!("json" in command.opts())) {
            errors.write(text);
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
   * Runs work on the opened installation and prints the result as JSON, or as text by `toText`.
   *
   * @param timeoutSecondsDefault - For work that takes longer; an explicit `--timeout` overrides it.
   * @throws {UsageError} with `--at`.
   */
  run<Result>(
    work: (session: CommandSession) => Promise<Result>,
    toText: (result: Result) => string,
    timeoutSecondsDefault?: number,
  ): Promise<Result>;
  /** The same for a command that `--at` can send to another installation, where the person is signed in. */
  runAnywhere<Result>(work: {
    here(session: CommandSession): Promise<Result>;
    there(api: RemoteApi): Promise<Result>;
    toText(result: Result): string;
  }): Promise<Result>;
  /** The installation of `--at`. @throws {UsageError} without it; {@link RemoteError} where no one is signed in. */
  getRemoteApi(): Promise<RemoteApi>;
  remote(): { logins: Logins; wait(ms: number): Promise<void> };
  /** Prints one result: `value` as JSON, or `text`. */
  print(value: unknown, text: () => string): void;
  isJson(): boolean;
  timeoutSeconds(): number;
  /** Starts to show progress on standard error, which stays empty with --json unless it is a terminal. */
  startProgress(label: string): Progress;
  toPath(relative: string): string;
};

export function createCli(environment: CliEnvironment): Cli {
  const program = createProgram(environment);
  const isJson = () => program.opts().json === true;
  const timeoutSeconds = () => program.opts().timeout;
  const print = (value: unknown, text: () => string) => {
    // One line, so that a program finds it after the lines that npm prints first.
    environment.output.write(`${isJson() ? toPrintableJson(value) : toPrintable(text())}\n`);
  };
  const remote: Cli["remote"] = () => {
    if (environment.remote === undefined) {
      throw new RemoteError("Other installations cannot be reached from here.");
    }
    const { configFolder, wait } = environment.remote;
    return { logins: openLogins(configFolder), wait };
  };
  const getRemoteApi = async (): Promise<RemoteApi> => {
    const address = program.opts().at;
    if (address === undefined) {
      throw new UsageError("say where: --at <address>");
    }
    const login = await remote().logins.find(address);
    if (login === undefined) {
      throw new RemoteError(
        `You are not signed in at ${address}. Sign in: turnpike login ${address}`,
      );
    }
    return createRemoteApi({ address, token: login.token });
  };
  const run: Cli["run"] = async (work, toText, timeoutSecondsDefault) => {
    if (program.opts().at !== undefined) {
      throw new UsageError(
        "this command works only on the machine of the installation, without --at",
      );
    }
    const isAsked = program.getOptionValueSource("timeout") !== "default";
    const seconds = isAsked ? timeoutSeconds() : (timeoutSecondsDefault ?? timeoutSeconds());
    const options = {
      config: environment.readConfig(),
      log: environment.errors,
      timeoutSeconds: seconds,
    };
    const result = await runCommand(options, work);
    print(result, () => toText(result));
    return result;
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
            environment.errors.write(text);
          }
        },
      }),
    run,
    runAnywhere: async ({ here, there, toText }) => {
      if (program.opts().at === undefined) {
        return await run(here, toText);
      }
      const result = await there(await getRemoteApi());
      print(result, () => toText(result));
      return result;
    },
    getRemoteApi,
    remote,
    toPath: (relative) => resolve(environment.workingFolder, relative),
  };
}

/** Examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ turnpike ${line}`).join("\n")}`;
}
