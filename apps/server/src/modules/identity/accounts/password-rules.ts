import { COMMON_WORDS, SEQUENCES } from "@turnpike/domain/text/common-words";

/** In characters. Only length counts: no rule asks for signs or capitals (NIST SP 800-63B). */
const PASSWORD_LENGTH_MAX = 256;

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Normalises a password before it is hashed: the same key on two keyboards may send different code points. */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

/** True for a repetition of a text of at most 6 characters, such as `abcabcabcabc`. */
function isRepetition(text: string): boolean {
  for (let period = 1; period <= 6; period += 1) {
    if (
      text ===
      text
        .slice(0, period)
        .repeat(Math.ceil(text.length / period))
        .slice(0, text.length)
    ) {
      return true;
    }
  }
  return false;
}

function isSequence(text: string): boolean {
  return SEQUENCES.some((row) => {
    const twice = row + row;
    return twice.includes(text) || twice.includes([...text].reverse().join(""));
  });
}

function withoutDisguise(text: string): string {
  return text.replace(/[013457@$!]/g, (sign) => LOOK_ALIKES[sign] ?? sign);
}

/** True for a common word, once or twice, with digits and signs around it or instead of letters: `P@ssword2024!`. */
function isCommonWord(text: string): boolean {
  const inner = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  return [text, withoutDisguise(text), withoutDisguise(inner)]
    .map((form) => form.replace(/[^\p{L}]+/gu, ""))
    .some((core) => {
      const half = core.slice(0, core.length / 2);
      return COMMON_WORDS.has(core) || (COMMON_WORDS.has(half) && half + half === core);
    });
}

function isCommon(password: string): boolean {
  const text = password.toLowerCase();
  return isRepetition(text) || isSequence(text) || isCommonWord(text);
}

/**
 * Describes the problem of a new password.
 *
 * @param input.email - The account's address, as it is stored.
 * @param input.lengthMin - In characters.
 * @returns A sentence for the person, or `undefined` if the password is acceptable.
 */
export function findPasswordProblem(
  password: string,
  input: { email: string; name?: string | null; lengthMin: number },
): string | undefined {
  const { email, lengthMin } = input;
  const text = normalizePassword(password);
  const length = [...text].length;
  if (length < lengthMin) {
    return `Use at least ${String(lengthMin)} characters.`;
  }
  if (length > PASSWORD_LENGTH_MAX) {
    return `Use at most ${String(PASSWORD_LENGTH_MAX)} characters.`;
  }
  const lower = text.toLowerCase();
  const [localPart = ""] = email.split("@");
  const rest = lower.replace(email, "").replace(localPart, "");
  if (rest.length < 4 || lower === email) {
    return "Use something other than your e-mail address.";
  }
  return isCommon(text) ? "This password is too common. Use another one." : undefined;
}
