import { AppError } from "@turnpike/domain/errors/app-error";
import { type IdKind, isId } from "@turnpike/domain/ids/ids";

/**
 * Reads where a page of a list begins. What is no place in the list is refused: taken for the end of it, a program that reads
 * page by page would stop early and notice nothing.
 *
 * @param cursor - As it was asked for; undefined for the first page.
 * @param parse - Answers undefined for what is no place in this list.
 * @throws {AppError} `INVALID_REQUEST`.
 */
export function parseCursor<Place>(
  cursor: string | undefined,
  parse: (text: string) => Place | undefined,
): Place | undefined {
  if (cursor === undefined) {
    return;
  }
  const place = parse(cursor);
  if (place === undefined) {
    const message = "Not a cursor of this list.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/cursor", message }],
    });
  }
  return place;
}

/** The same for a list whose cursor is the id of the last item. @throws {AppError} `INVALID_REQUEST`. */
export function parseIdCursor(kind: IdKind, cursor: string | undefined): string | undefined {
  return parseCursor(cursor, (text) => (isId(kind, text) ? text : undefined));
}
