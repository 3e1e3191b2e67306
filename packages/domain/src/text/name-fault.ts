/** Control characters, marks that turn the reading direction, and halves of characters. */
const CONTROL = /\p{Cc}|\p{Bidi_Control}|\p{Surrogate}/u;
/**
 * What is not seen, or means something else in every font: format characters, fillers, spaces other than the usual one, private use
 * and what Unicode has not assigned.
 */
const UNSEEN =
  /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Co}|\p{Cn}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/u;
/** The joiners that the spelling of some scripts needs, and those that make one picture of several. */
const NEEDED_JOINERS =
  /(?<=\p{Emoji}\p{Emoji_Modifier}?)\ufe0f|(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}])[\u200c\u200d]/gu;

/** `a@b`, `//`, and schemes that programs open without it. */
const ADDRESS = /\S@\S|:\/\/|\b(?:mailto|tel|sms|javascript|data):\S/iu;
/** A dot between a word and what could be a top-level domain. */
const HOST = /[\p{L}\p{M}\p{N}]\.(\p{L}[\p{L}\p{M}]+|xn--[a-z0-9-]+)(?![\p{L}\p{M}\p{N}-])/giu;
/** Endings that are no top-level domains: reserved by RFC 6761, or of files that give programs their names. */
const NOT_DOMAINS = new Set(
  "example invalid internal local localhost test js ts jsx tsx json yaml yml toml csv xml html css sql txt log".split(
    " ",
  ),
);

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
/** Letters of other alphabets that are drawn like Latin ones. */
const TWINS = new Set(
  "аеорсухіјѕһԁԛԝӏѵАВЕЅІЈКМНОРСТУХҮӀԌԚԜ" + "ανοριυχγκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "օսոհցզՕՍԼ",
);
const ORDINALS = new Set("ªº");

const CONTROL_FAULT = "Must not contain control characters.";
const UNSEEN_FAULT = "Must not contain invisible characters.";
const ADDRESS_FAULT =
  "Must not contain a web or e-mail address. After a full stop in a name, leave a space.";
const LOOK_ALIKE_FAULT =
  "Must not use letters that look like those of another alphabet: write each word in one alphabet.";

function hasAddress(name: string): boolean {
  // Full-width and other forms of a letter or a dot are read as the plain one.
  const plain = name.normalize("NFKC").replace(/\u3002/gu, ".");
  return (
    ADDRESS.test(plain) ||
    [...plain.matchAll(HOST)].some(([, ending]) => !NOT_DOMAINS.has((ending ?? "").toLowerCase()))
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
  const letters = [...(name.match(WORD) ?? []).join("")].filter((letter) => /\p{L}/u.test(letter));
  const foreign = letters.filter((letter) => HAS_TWINS.test(letter));
  return (
    letters.some(isDisguised) ||
    (name.normalize("NFC").match(WORD) ?? []).some(isMixed) ||
    // Only letters that could be Latin ones: nothing shows a reader that they are not.
    (foreign.length > 0 && foreign.every((letter) => TWINS.has(letter)))
  );
}

/**
 * Finds why a text must not be the name of a tenant, a person, a key or anything else that others read: names stand in mails and
 * lists, where an address becomes a link, and a letter that looks like another becomes another's name.
 *
 * Example: `"Blue Heron Maps"` and `"Яндекс Maps"` have no fault; `"Win at evil.com"` and `"Pаypal"` with a Cyrillic `а` have.
 *
 * @param options.isFile - True for the name of a file, whose ending is no address.
 * @returns A sentence for the person who wrote it; `undefined` when there is no fault.
 * @see https://www.unicode.org/reports/tr39/ (mixed scripts, confusable letters)
 */
export function findNameFault(
  name: string,
  options: { isFile?: boolean } = {},
): string | undefined {
  if (CONTROL.test(name)) {
    return CONTROL_FAULT;
  }
  if (UNSEEN.test(name.replace(NEEDED_JOINERS, ""))) {
    return UNSEEN_FAULT;
  }
  if (options.isFile !== true && hasAddress(name)) {
    return ADDRESS_FAULT;
  }
  return hasLookAlikes(name) ? LOOK_ALIKE_FAULT : undefined;
}
