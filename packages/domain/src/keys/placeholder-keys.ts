import { COMMON_WORDS, SEQUENCES } from "../text/common-words.ts";

/** What programs send when a variable is missing, and what people type instead of a key. */
const ABSENT =
  `undefined null nil none nan NaN void false true yes no on off na n/a empty missing unknown unset todo tbd fixme
  changeme change-me change_me changeit replaceme replace-me replace_me redacted hidden placeholder example sample dummy
  fake foo bar baz qux foobar foobarbaz lorem ipsum string text value any anything something nothing anonymous public guest
  development production staging prod dev local localhost sandbox acme [object] {} [] () "" '' - -- --- _ __ ? ?? ???
  ... … * ** *** xxx yyy zzz aaa bbb ccc abc123 abcd1234 test123 test1234 key123 token123 secret123 password123 1234abcd
  hunter2 p4ssw0rd passw0rd pa55word`.split(/\s+/);

const WITH_SPACES = [
  "[object Object]",
  "[object Undefined]",
  "[object Null]",
  "not set",
  "not found",
  "hello world",
  "Hello, World!",
  "lorem ipsum",
  "change me",
  "replace me",
];

/** Samples that other documentation prints, such as RFC 6750 (section 2.1), api.nasa.gov, RFC 9562 and AWS. */
const WELL_KNOWN = [
  "mF_9.B5f-4.1JqM",
  "DEMO_KEY",
  "550e8400-e29b-41d4-a716-446655440000",
  "123e4567-e89b-12d3-a456-426614174000",
  "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
  "AKIAIOSFODNN7EXAMPLE",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
];

/** `your`, `api key` and `here` make `YOUR_API_KEY_HERE`, `your-api-key-here`, `yourApiKeyHere` and so on. */
const BEFORE = [
  ..."the some insert enter add put paste use set test demo sample example dummy fake live prod secret new".split(
    " ",
  ),
  "insert your",
  "enter your",
  "replace with your",
  "put your",
  "paste your",
  "add your",
];
const NOUNS = [
  ..."key apikey token secret password credential authorization bearer".split(" "),
  "api key",
  "api token",
  "api secret",
  "access key",
  "access token",
  "auth token",
  "bearer token",
  "secret key",
  "service key",
  "client secret",
  "x api key",
  "turnpike key",
  "turnpike api key",
  "turnpike service key",
];
const OWNERS = ["", "your", "my"];
const AFTER = ["", "here", "goes here", "placeholder"];

const PREFIXES = ["sk-", "sk_", "sk_live_", "sk_test_", "pk_live_", "pk_test_", "key-", "key_"];
const FILLERS = ["x", "X", "0", "1", "*", ".", "…", "a", "A"];
const REPEATED_MAX = 64;

const VISIBLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
const LETTERS_AND_DIGITS = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
const YEARS = ["2023", "2024", "2025", "2026", "2027"];
const DIGITS = ["1", "12", "123", "1234", "12345", "123456", "1!", "!", ...YEARS];

const capitalise = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Every way to write the words of a phrase as one text. */
function toSpellings(phrase: string): string[] {
  const words = phrase.split(" ").filter((word) => word !== "");
  const titled = words.map(capitalise);
  const joined = ["_", "-", " ", ""].flatMap((between) => [
    words.join(between),
    words.join(between).toUpperCase(),
    titled.join(between),
  ]);
  return [...new Set([...joined, [words[0] ?? "", ...titled.slice(1)].join("")])];
}

/** How a template or a shell that filled in nothing leaves a text, and a client that copies too much. */
function wrap(text: string): string[] {
  return [
    text,
    `"${text}"`,
    `'${text}'`,
    `\`${text}\``,
    `<${text}>`,
    `{${text}}`,
    `{{${text}}}`,
    `{{ ${text} }}`,
    `[${text}]`,
    `$${text}`,
    `\${${text}}`,
    `%${text}%`,
    `:${text}`,
    ` ${text}`,
    `${text} `,
    `${text}\n`,
    `Bearer ${text}`,
    `bearer ${text}`,
  ];
}

function* listPhrases(): Generator<string> {
  for (const noun of NOUNS) {
    for (const before of BEFORE) {
      yield* toSpellings(`${before} ${noun}`);
    }
    for (const owner of OWNERS) {
      for (const after of AFTER) {
        yield* toSpellings(`${owner} ${noun} ${after}`);
      }
    }
  }
}

function* listCommon(): Generator<string> {
  for (const word of COMMON_WORDS) {
    for (const spelling of [word, word.toUpperCase(), capitalise(word)]) {
      yield spelling;
      for (const digits of DIGITS) {
        yield spelling + digits;
      }
    }
  }
  for (const sequence of SEQUENCES) {
    for (const row of [sequence, [...sequence].toReversed().join("")]) {
      for (let start = 0; start < row.length; start += 1) {
        for (let end = start + 1; end <= row.length; end += 1) {
          const part = row.slice(start, end);
          yield part;
          yield part.toUpperCase();
        }
      }
    }
  }
}

function* listShort(): Generator<string> {
  for (const first of VISIBLE) {
    for (const second of VISIBLE) {
      yield first + second;
    }
  }
  for (const first of LETTERS_AND_DIGITS) {
    for (const second of LETTERS_AND_DIGITS) {
      for (const third of LETTERS_AND_DIGITS) {
        yield first + second + third;
      }
    }
  }
  for (let number = 0; number < 10_000; number += 1) {
    yield String(number).padStart(4, "0");
  }
}

function* listRepeated(): Generator<string> {
  for (let count = 1; count <= REPEATED_MAX; count += 1) {
    for (const sign of VISIBLE) {
      yield sign.repeat(count);
    }
    for (const prefix of PREFIXES) {
      for (const filler of FILLERS) {
        yield prefix + filler.repeat(count);
      }
    }
  }
  for (const digit of "0123456789abcdef") {
    yield [8, 4, 4, 4, 12].map((count) => digit.repeat(count)).join("-");
  }
}

/**
 * Lists the texts that clients send by mistake instead of a key: what a missing variable becomes, placeholders, samples of
 * documentation, common passwords, and short texts. Each placeholder comes in upper, lower and mixed case, and with quotes,
 * brackets, blanks and `Bearer` around it.
 *
 * @returns About 300,000 texts, some of them twice.
 */
export function* listPlaceholderKeys(): Generator<string> {
  yield "";
  const absent = [...ABSENT, ...WITH_SPACES].flatMap((text) => [
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    capitalise(text),
  ]);
  for (const text of [...absent, ...WELL_KNOWN]) {
    yield* wrap(text);
  }
  for (const text of listPhrases()) {
    yield* wrap(text);
  }
  yield* listCommon();
  yield* listRepeated();
  yield* listShort();
}
