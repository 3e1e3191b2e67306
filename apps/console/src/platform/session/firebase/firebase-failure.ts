import { t } from "@lingui/core/macro";

/** A failure with a code of Firebase's client, such as `auth/user-signed-out`, so that all have one table of sentences. */
export class FirebaseFailure extends Error {
  override readonly name = "FirebaseFailure";
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The code of what Firebase's client threw; undefined for other errors. */
export function toFirebaseCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

export function toSignedOut(cause?: unknown): FirebaseFailure {
  return new FirebaseFailure("auth/user-signed-out", t`You are signed out.`, { cause });
}
