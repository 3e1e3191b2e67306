import { plural, t } from "@lingui/core/macro";
import { toPasswordRules } from "#components/password/password-rules.view-model.ts";
import { RequestError } from "#platform/error-message.ts";
import { type FormFailure, toFormFailure } from "#platform/form-failure.ts";
import { toSignInMessage } from "#platform/session/to-sign-in-problem.ts";

export type SignInField = "email" | "password" | "name";

/** The errors found before the form is sent, by field; empty when there are none. */
export type FieldProblems = Readonly<Partial<Record<SignInField, string>>>;

const POINTERS = { email: "/email", password: "/password", name: "/name" } as const;

/** Checks little: every address contains an @, and the server checks the rest. */
function findEmailProblem(email: string): string | undefined {
  if (email === "") {
    return t`Enter your e-mail address.`;
  }
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : t`Enter a valid e-mail address.`;
}

function withoutNothing(problems: Record<string, string | undefined>): FieldProblems {
  return Object.fromEntries(Object.entries(problems).filter(([, text]) => text !== undefined));
}

export function findSignInProblems(input: { email: string; password: string }): FieldProblems {
  return { ...findEmailProblems(input), ...findPasswordProblems(input) };
}

export function findPasswordProblems(input: { password: string }): FieldProblems {
  return withoutNothing({
    password: input.password === "" ? t`Enter your password.` : undefined,
  });
}

export function findEmailProblems(input: { email: string }): FieldProblems {
  return withoutNothing({ email: findEmailProblem(input.email) });
}

/** @param input.email - Empty when the form does not ask for it, as after the link of a mail. */
export function findNewPasswordProblems(input: {
  email: string;
  password: string;
  lengthMin: number;
}): FieldProblems {
  const unmet = toPasswordRules(input.password, input).find((rule) => !rule.isMet);
  return withoutNothing({
    password: input.password === "" ? t`Choose a password.` : unmet?.problem,
  });
}

export function findRegistrationProblems(input: {
  email: string;
  password: string;
  lengthMin: number;
}): FieldProblems {
  return { ...findEmailProblems(input), ...findNewPasswordProblems(input) };
}

/** Says how long to wait: "Try again in 40 seconds.", "Try again in about 5 minutes." */
export function toRetryText(retryAfterSeconds: number): string {
  if (retryAfterSeconds < 90) {
    const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
    return t`Try again in ${String(seconds)} ${plural(seconds, { one: "second", other: "seconds" })}.`;
  }
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return minutes < 90
    ? t`Try again in about ${String(minutes)} minutes.`
    : t`Try again in about ${String(Math.ceil(minutes / 60))} hours.`;
}

/**
 * The errors that a form shows for a failure: field errors, a provider's refusal, and when to try again.
 *
 * @returns Undefined when nothing failed.
 */
export function toSignInFailure(cause: unknown): FormFailure<SignInField> | undefined {
  if (cause === null || cause === undefined) {
    return;
  }
  if (cause instanceof RequestError && cause.retryAfterSeconds !== undefined) {
    const said = cause.message.split(/(?<=\.)\s/)[0] ?? cause.message;
    return { messages: [`${said} ${toRetryText(cause.retryAfterSeconds)}`], fields: {} };
  }
  return cause instanceof RequestError && cause.status !== undefined
    ? toFormFailure<SignInField>(cause, POINTERS)
    : { messages: [toSignInMessage(cause)], fields: {} };
}
