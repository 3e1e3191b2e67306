/**
 * Literals of PostgreSQL arrays. The driver would make them of arrays as well, one value at a time by rules for every type;
 * for the thousands of rows of a commit that takes longer than the database takes to read them.
 *
 * @see https://www.postgresql.org/docs/18/arrays.html#ARRAYS-IO
 */

/** What stands in a literal without quotes and is not taken for something else. */
const WORDS = /^[\w.:+,-]*$/;
/** An empty value, or one that would be read as NULL. */
const NO_WORD = /(?:^|,)(?:null)?(?:,|$)/i;
const SPECIAL = /["\\]/g;

/** Of words: ids and codes. @throws {RangeError} for a value that needs quotes. */
export function wordsLiteral(values: readonly string[]): string {
  const joined = values.join(",");
  if (!WORDS.test(joined) || (values.length > 0 && NO_WORD.test(joined))) {
    throw new RangeError("A value needs quotes in the literal of an array.");
  }
  return `{${joined}}`;
}

/** Of numbers. */
export function numbersLiteral(values: readonly number[]): string {
  return `{${values.join(",")}}`;
}

/** Of texts with anything in them but NUL, which PostgreSQL cannot store; of any other type, values with nulls among them. */
export function textsLiteral(values: readonly (string | null)[]): string {
  const quoted = values.map((value) =>
    value === null ? "NULL" : `"${value.replace(SPECIAL, "\\$&")}"`,
  );
  return `{${quoted.join(",")}}`;
}

/** Of instants, from epoch milliseconds, undefined for none. Neighbours are mostly the same. */
export function instantsLiteral(epochsMs: readonly (number | undefined)[]): string {
  let lastMs: number | undefined;
  let last = "NULL";
  const texts = epochsMs.map((epochMs) => {
    if (epochMs !== lastMs) {
      lastMs = epochMs;
      last = epochMs === undefined ? "NULL" : new Date(epochMs).toISOString();
    }
    return last;
  });
  return `{${texts.join(",")}}`;
}
