import { RequestError } from "#platform/error-message.ts";
import { type FormFailure, toFormFailure } from "#platform/form-failure.ts";
import { toSignInMessage } from "#platform/session/provider-failure.ts";
import { toPasswordRules } from "./password-rules.view-model.ts";

export type SignInField = "email" | "password" | "name";

/** What is wrong with a form before it is sent, by field; empty when it may go. */
export type FieldProblems = Readonly<Partial<Record<SignInField, string>>>;

const POINTERS = { email: "/email", password: "/password", name: "/name" } as const;

/** A sign and a dot are not asked for: the server knows better, and every address has the one sign. */
function findEmailProblem(email: string): string | undefined {
  if (email === "") {
    return "Enter your e-mail address.";
  }
  return /^[^\s@]+@[^\s@]+$/.test(email) ? undefined : "Enter a valid e-mail address.";
}

function withoutNothing(problems: Record<string, string | undefined>): FieldProblems {
  return Object.fromEntries(Object.entries(problems).filter(([, text]) => text !== undefined));
}

export function findSignInProblems(input: { email: string; password: string }): FieldProblems {
  return { ...findEmailProblems(input), ...findPasswordProblems(input) };
}

export function findPasswordProblems(input: { password: string }): FieldProblems {
  return withoutNothing({
    password: input.password === "" ? "Enter your password." : undefined,
  });
}

export function findEmailProblems(input: { email: string }): FieldProblems {
  return withoutNothing({ email: findEmailProblem(input.email) });
}

/** @param input.email - Empty where it is not asked for, as with the link of a mail. */
export function findNewPasswordProblems(input: {
  email: string;
  password: string;
  lengthMin: number;
}): FieldProblems {
  const unmet = toPasswordRules(input.password, input).find((rule) => !rule.isMet);
  return withoutNothing({
    password: input.password === "" ? "Choose a password." : unmet?.problem,
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
    return `Try again in ${String(seconds)} ${seconds === 1 ? "second" : "seconds"}.`;
  }
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return minutes < 90
    ? `Try again in about ${String(minutes)} minutes.`
    : `Try again in about ${String(Math.ceil(minutes / 60))} hours.`;
}

/**
 * Says what a form shows of a failure: of the server's fields, of a provider's refusal, and when to try again.
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
