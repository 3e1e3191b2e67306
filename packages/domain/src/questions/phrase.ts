/**
 * The part of a question that is not understood yet. Each rule takes the words it understands and leaves a mark such as `#v0`, so
 * that what remains at the end is what no rule understood.
 */
export type Phrase = { text: string };

/** Takes the first match out of a phrase and leaves `mark` there; `,` separates what stood around it. */
export function take(phrase: Phrase, pattern: RegExp, mark = ","): RegExpExecArray | undefined {
  const match = pattern.exec(phrase.text);
  if (match === null) {
    return;
  }
  const { index } = match;
  phrase.text = `${phrase.text.slice(0, index)} ${mark} ${phrase.text.slice(index + match[0].length)}`;
  phrase.text = phrase.text.replace(/\s+/g, " ").trim();
  return match;
}

/** True after taking every match; at most 20. */
export function takeAll(phrase: Phrase, pattern: RegExp, mark = ","): boolean {
  const TIMES_MAX = 20;
  let times = 0;
  while (times < TIMES_MAX && take(phrase, pattern, mark) !== undefined) {
    times += 1;
  }
  return times > 0;
}
