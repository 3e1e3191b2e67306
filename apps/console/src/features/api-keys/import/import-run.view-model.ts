import { LANGUAGE } from "@turnpike/ui/language";
import type { ApiClient } from "#platform/api-client.ts";
import { IMPORT_ROW_BYTES_MAX, type ImportRow, toJsonBytes } from "./read-import-text.ts";

export type ImportAnswer = Awaited<ReturnType<ApiClient["keys"]["import"]>>;
/** Rows of one request, each with its position in the file. */
export type ImportBatch = readonly { place: string; value: unknown }[];

export type ImportMistake = { place: string; field: string; message: string };

/** The result so far. */
export type ImportTally = {
  /** Rows that are finished. */
  done: number;
  imported: number;
  existing: number;
  refused: number;
  /** The first errors. */
  mistakes: readonly ImportMistake[];
  mistakesOmitted: number;
};

/** Rows of one request. */
const BATCH_ROWS_MAX = 1_000;
/** Of one request, in bytes: a row of the maximum length gets a request of its own. */
const BATCH_BYTES_MAX = IMPORT_ROW_BYTES_MAX;
/** Errors shown; fixing the first ones usually fixes the others. */
export const MISTAKES_SHOWN_MAX = 200;

/** Divides the valid rows of a file into requests, sent in this order so that a failed one can be sent again. */
export function toBatches(rows: readonly ImportRow[]): ImportBatch[] {
  const batches: { place: string; value: unknown }[][] = [];
  let bytes = 0;
  for (const row of rows) {
    if (!("value" in row)) {
      continue;
    }
    const size = toJsonBytes(row.value) + 1;
    let batch = batches.at(-1);
    if (batch === undefined || batch.length >= BATCH_ROWS_MAX || bytes + size > BATCH_BYTES_MAX) {
      batch = [];
      batches.push(batch);
      bytes = 0;
    }
    batch.push({ place: row.place, value: row.value });
    bytes += size;
  }
  return batches;
}

/** The tally before anything is sent: the unreadable rows. */
export function startTally(rows: readonly ImportRow[]): ImportTally {
  const unread = rows.filter((row) => "errors" in row);
  return addMistakes(
    {
      done: unread.length,
      imported: 0,
      existing: 0,
      refused: unread.length,
      mistakes: [],
      mistakesOmitted: 0,
    },
    unread.flatMap((row) => ("errors" in row ? toMistakes(row.place, row.errors) : [])),
  );
}

/** Adds the response to one request. */
export function addAnswer(
  tally: ImportTally,
  batch: ImportBatch,
  answer: ImportAnswer,
): ImportTally {
  return addMistakes(
    {
      ...tally,
      done: tally.done + batch.length,
      imported: tally.imported + answer.imported,
      existing: tally.existing + answer.existing,
      refused: tally.refused + answer.refused,
    },
    answer.items.flatMap((item, index) => toMistakes(batch[index]?.place ?? "", item.errors)),
  );
}

function toMistakes(
  place: string,
  errors: readonly { pointer: string; message: string }[],
): ImportMistake[] {
  return errors.map(({ pointer, message }) => ({ place, field: pointer.slice(1), message }));
}

/** Sorts "line 9" before "line 10". */
const byPlace = new Intl.Collator(LANGUAGE, { numeric: true });

function addMistakes(tally: ImportTally, found: readonly ImportMistake[]): ImportTally {
  // Unreadable rows are known before the server refuses any, wherever they are in the file.
  const all = [...tally.mistakes, ...found].sort((a, b) => byPlace.compare(a.place, b.place));
  return {
    ...tally,
    mistakes: all.slice(0, MISTAKES_SHOWN_MAX),
    mistakesOmitted: tally.mistakesOmitted + Math.max(0, all.length - MISTAKES_SHOWN_MAX),
  };
}
