export type PasswordRule = { text: string; isMet: boolean };

/** What is left of a password without the address must have at least so many characters. */
const REST_LENGTH_MIN = 4;

/** True when a password is the person's address, or little more than it. */
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
 * Lists what a new password must be, and which of it is true already. Whether it is among the passwords that are guessed
 * first is for the server to say.
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
      text: `At least ${String(input.lengthMin)} characters`,
      isMet: length >= input.lengthMin,
    },
    {
      text: "More than your e-mail address",
      isMet: isThere && !isMadeOfEmail(password, input.email),
    },
  ];
}
