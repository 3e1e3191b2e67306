/** Why the product does not start. */
export type StartupErrorCode =
  | "CELL_REFUSED"
  | "CONFIG_INVALID"
  | "DATA_FOLDER_EXPOSED"
  | "DATA_FOLDER_IN_USE"
  | "DATA_FOLDER_NOT_ENTERABLE"
  | "DATA_FOLDER_NOT_WRITABLE"
  | "DATABASE_PASSWORD_UNUSABLE"
  | "DATABASE_START_FAILED"
  | "DATABASE_UNREACHABLE"
  | "DATABASE_USER_MISSING"
  | "DATABASE_VERSION_MISMATCH"
  | "INSTALLATION_MISSING"
  | "NODE_DIFFERS"
  | "PLATFORM_UNSUPPORTED"
  | "PORT_TAKEN"
  | "SCHEMA_NEWER"
  | "SCHEMA_OLDER"
  | "SECRET_FILE_UNUSABLE";

/**
 * A reason not to start that the person at the terminal can do something about. The entry prints it as one line,
 * `turnpike: <message>. <hint>.`, and exits with 1.
 */
export class StartupError extends Error {
  override readonly name = "StartupError";
  readonly code: StartupErrorCode;
  /** The way out: an imperative sentence. Like the message, without its last full stop. */
  readonly hint: string;

  constructor(input: { code: StartupErrorCode; message: string; hint: string; cause?: unknown }) {
    super(input.message, { cause: input.cause });
    this.code = input.code;
    this.hint = input.hint;
  }
}

/** The line that the entry prints; more than one line only where the message quotes a log. */
export function toStartupLine(error: StartupError): string {
  return `turnpike: ${error.message}. ${error.hint}.`;
}
