import { t } from "@lingui/core/macro";

export type PasswordRule = {
  text: string;
  /** The field's error while the rule is not met. */
  problem: string;
  isMet: boolean;
};

/** The fewest characters a password must have beyond the address that it contains. */
const REST_LENGTH_MIN = 4;

/** True when a password is the person's address or little more. */
function isMadeOfEmail(password: string, email: string): boolean {
  const lower = password.toLowerCase();
  const address = email.trim().toLowerCase();
  const [localPart = ""] = address.split("@");
  if (localPart === "") {
    return false;
  }
  const rest = lower.replace(address, "").replace(localPart, "");
  return rest !== lower && rest.length < REST_LENGTH_MIN;
}

/**
 * Lists the rules for a new password and which of them it meets. Only the server knows whether it is too common.
 *
 * @param lengthMin - In characters, however many bytes each takes.
 */
export function toPasswordRules(
  password: string,
  input: { email: string; lengthMin: number },
): readonly PasswordRule[] {
  const isThere = password !== "";
  const length = [...password.normalize("NFKC")].length;
  return [
    {
      text: t`At least ${String(input.lengthMin)} characters`,
      problem: t`Use at least ${String(input.lengthMin)} characters.`,
      isMet: length >= input.lengthMin,
    },
    {
      text: t`Must not be your e-mail address`,
      problem: t`The password must not be your e-mail address.`,
      isMet: isThere && !isMadeOfEmail(password, input.email),
    },
  ];
}
