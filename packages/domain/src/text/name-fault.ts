import { isWebEnding } from "./web-endings.ts";

/** Control characters, marks that turn the reading direction, and halves of characters. */
const CONTROL = /\p{Cc}|\p{Bidi_Control}|\p{Surrogate}/u;
/**
 * What is not seen, or means something else in every font: format characters, fillers, spaces other than the usual one, private use
 * and what Unicode has not assigned.
 */
const UNSEEN =
  /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/u;
/** The joiners and selectors that the spelling of some scripts needs, and those that make one picture of several. */
const NEEDED_JOINERS = new RegExp(
  [
    /(?<=\p{Emoji}\p{Emoji_Modifier}?)\ufe0f/u,
    /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)\u200d(?=\p{Extended_Pictographic})/u,
    /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}])[\u200c\u200d]/u,
    // Which form of a Han letter a family writes.
    /(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]/u,
    // Where a line may break, in scripts without spaces.
    /(?<=[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}])\u200b(?=[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}])/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

/** `a@b`, `//`, and schemes that programs open without it. */
const ADDRESS = /\S@\S|:\/\/|\b(?:mailto|tel|sms|javascript|data):\S/iu;
/** Two labels with a dot between them, the second of which could be a top-level domain. */
const HOST =
  /(?<label>[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])\.(?=(?<ending>xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)(?![\p{L}\p{M}\p{N}]))/giu;
/** The legal form `GmbH & Co.KG`, whose end is also that of Kyrgyz domains. */
const CO_KG = /(?<![\p{L}\p{M}\p{N}.-])co\.kg(?![\p{L}\p{M}\p{N}])/giu;

const WORD = /[\p{L}\p{M}]+/gu;
const NEUTRAL = /[\p{Script=Common}\p{Script=Inherited}]/u;
/** Scripts that one word may mix: as "highly restrictive" of UTS #39 says. */
const SCRIPT_GROUPS = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}]+$/u,
];
const ONE_SCRIPT =
  /^(?:\p{Script=Cyrillic}+|\p{Script=Greek}+|\p{Script=Armenian}+|\p{Script=Cherokee}+|\p{Script=Coptic}+|\p{Script=Georgian}+)$/u;
const HAS_TWINS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Georgian}]/u;
const ORDINALS = new Set("ªº");

const CONTROL_FAULT = "Must not contain control characters.";
const UNSEEN_FAULT = "Must not contain invisible characters.";
const ADDRESS_FAULT =
  "Must not contain a web or e-mail address. Leave out the ending (Acme instead of acme.com), or put a space after the full stop.";
const LOOK_ALIKE_FAULT =
  "Must not use letters that look like those of another alphabet: write each word in one alphabet.";

function hasAddress(name: string): boolean {
  // Full-width and other forms of a letter or a dot are read as the plain one.
  const plain = name
    .normalize("NFKC")
    .replace(/\u3002/gu, ".")
    .replace(CO_KG, "");
  return (
    ADDRESS.test(plain) ||
    [...plain.matchAll(HOST)].some(({ groups }) =>
      isWebEnding(groups?.["ending"] ?? "", groups?.["label"] ?? ""),
    )
  );
}

function isMixed(word: string): boolean {
  const letters = [...word].filter((letter) => !NEUTRAL.test(letter)).join("");
  return (
    HAS_TWINS.test(letters) &&
    !ONE_SCRIPT.test(letters) &&
    !SCRIPT_GROUPS.some((group) => group.test(letters))
  );
}

/** True for a letter that is a plain Latin one in disguise, such as a full-width or a mathematical one. */
function isDisguised(letter: string): boolean {
  return letter > "\u007f" && !ORDINALS.has(letter) && /^[a-z]+$/i.test(letter.normalize("NFKC"));
}

function hasLookAlikes(name: string): boolean {
  const words = name.normalize("NFC").match(WORD) ?? [];
  return (
    words.some(isMixed) || [...name].some((letter) => /\p{L}/u.test(letter) && isDisguised(letter))
  );
}

const OTHER_SPACES = /\p{Zs}/gu;
const FULL_WIDTH = /[\uff01-\uff5e]/gu;
/** From a full-width character to the ASCII one. */
const FULL_WIDTH_OFFSET = 0xfe_e0;

/**
 * Gives a name the plain characters that its writer means: keyboards and programs write other spaces and full-width letters.
 *
 * Example: `"Ｓｔａｔｉｏｎ　１"` gives `"Station 1"`.
 */
export function toPlainName(name: string): string {
  return name
    .replace(OTHER_SPACES, " ")
    .replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - FULL_WIDTH_OFFSET));
}

/**
 * Finds why a text must not be the name of a tenant, a person, a key or anything else that others read: names stand in mails and
 * lists, where an address becomes a link, and a letter that looks like another becomes another's name. Read it after {@link toPlainName}.
 *
 * Example: `"Blue Heron Maps"` and `"Яндекс Maps"` have no fault; `"Win at evil.com"` and `"Pаypal"` with a Cyrillic `а` have.
 *
 * @param options.mayHoldAddress - True for names that stand in no mail to strangers: of a file, whose ending could be a domain's, and
 *   of a key, which programs name `orders.prod` or `ada@acme.com`.
 * @returns A sentence for the person who wrote it; `undefined` when there is no fault.
 * @see https://www.unicode.org/reports/tr39/ (mixed scripts, confusable letters)
 */
export function findNameFault(
  name: string,
  options: { mayHoldAddress?: boolean } = {},
): string | undefined {
  if (CONTROL.test(name)) {
    return CONTROL_FAULT;
  }
  if (UNSEEN.test(name.replace(NEEDED_JOINERS, ""))) {
    return UNSEEN_FAULT;
  }
  if (options.mayHoldAddress !== true && hasAddress(name)) {
    return ADDRESS_FAULT;
  }
  return hasLookAlikes(name) ? LOOK_ALIKE_FAULT : undefined;
}

/** A name for a text that goes out by mail: one with a fault gives way to `substitute`. */
export function toMailedName(name: string, substitute: string): string {
  const plain = toPlainName(name);
  return findNameFault(plain) === undefined ? plain : substitute;
}
