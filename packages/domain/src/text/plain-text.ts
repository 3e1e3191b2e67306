/** Control characters (C0, C1, DEL), line and paragraph separators. */
const CONTROL = /\p{Cc}|\p{Zl}|\p{Zp}/gu;
/** The same, but for line feed and tab. */
const CONTROL_BUT_LINES = /(?![\n\t])\p{Cc}|\p{Zl}|\p{Zp}/gu;
/** Marks that turn the reading direction. */
const DIRECTION = /\p{Bidi_Control}/gu;
const BROKEN = /\p{Surrogate}/gu;

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(BROKEN, "")}…`;
}

/**
 * Makes one harmless line of any text: for headers of mails, titles, log lines. Text from outside, such as the name of a
 * tenant, could otherwise end a header or turn what follows it around.
 *
 * Example: `"Hi\r\nBcc: x@y"` gives `"Hi Bcc: x@y"`.
 *
 * @param lengthMax - In UTF-16 units, 1 or more; longer text ends in an ellipsis.
 */
export function toPlainLine(text: string, lengthMax: number): string {
  const line = text.replace(DIRECTION, "").replace(CONTROL, " ").replace(BROKEN, "\ufffd");
  return cut(line.replace(/ {2,}/g, " ").trim(), lengthMax);
}

/** The same for text of several lines: line feeds and tabs stay, `\r\n` becomes `\n`. */
export function toPlainText(text: string, lengthMax: number): string {
  const lines = text.replace(DIRECTION, "").replace(/\r\n?/g, "\n").replace(CONTROL_BUT_LINES, "");
  return cut(lines.replace(BROKEN, "\ufffd"), lengthMax);
}
