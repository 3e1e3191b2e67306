/** Points by how a word is met; whole prefixes beat scattered letters by far. */
const START_OF_LABEL = 100;
const START_OF_WORD = 60;
const INSIDE_WORD = 30;
const SCATTERED = 10;

export type Searchable = {
  label: string;
  /** Other words that people look for it by. */
  words?: string;
};

/**
 * Says how well a command is meant by what was typed. Every word typed has to be met: at the start of the label or of a
 * word, inside one, or by its letters in order ("apk" for "API keys").
 *
 * @returns 0 or more, higher is better; undefined when it is not meant. Everything is meant by nothing: 0.
 */
export function scoreCommand(command: Searchable, query: string): number | undefined {
  const label = normalise(command.label);
  const words = `${label} ${normalise(command.words ?? "")}`.split(" ");
  let sum = 0;
  for (const part of normalise(query).split(" ").filter(Boolean)) {
    const score = scorePart(part, label, words);
    if (score === undefined) {
      return undefined;
    }
    sum += score;
  }
  return sum;
}

/** The commands that are meant, the best first; equals keep their order. */
export function rankCommands<Command extends Searchable>(
  commands: readonly Command[],
  query: string,
): Command[] {
  return commands
    .flatMap((command) => {
      const score = scoreCommand(command, query);
      return score === undefined ? [] : [{ command, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

function scorePart(part: string, label: string, words: readonly string[]): number | undefined {
  if (label.startsWith(part)) {
    return START_OF_LABEL;
  }
  if (words.some((word) => word.startsWith(part))) {
    return START_OF_WORD;
  }
  if (words.some((word) => word.includes(part))) {
    return INSIDE_WORD;
  }
  return isSubsequence(part, label) ? SCATTERED : undefined;
}

function isSubsequence(letters: string, text: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const found = text.indexOf(letter, from);
    if (found < 0) {
      return false;
    }
    from = found + 1;
  }
  return true;
}

function normalise(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}
