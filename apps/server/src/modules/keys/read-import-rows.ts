import {
  HASH_REFUSED,
  type ImportedRow,
  type ImportKeyRow,
  importKeyRow,
} from "@turnpike/contract/key-import";
import { canBeginKey, KEY_BRAND } from "@turnpike/domain/keys/key-format";
import type { z } from "zod";
import { hashKey } from "./hash-key.ts";

type RowError = ImportedRow["errors"][number];

/** A row as it was read: well formed, or with its mistakes. */
export type ReadRow = { row: ImportKeyRow } | { errors: RowError[] };

const METADATA_ENTRIES_MAX = 20;
const ERRORS_OF_ROW_MAX = 10;

function toErrors(issues: readonly z.core.$ZodIssue[]): RowError[] {
  return issues
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((name) => ({ pointer: `/${name}`, message: "Unknown name." }))
        : [
            {
              pointer: issue.path.map((part) => `/${String(part)}`).join(""),
              message: issue.message,
            },
          ],
    )
    .slice(0, ERRORS_OF_ROW_MAX);
}

/** Finds the mistakes of a well-formed row, by the rules of creating a key. */
export function findMistakes(row: ImportKeyRow, now: Date): RowError[] {
  const errors: RowError[] = [];
  if (typeof row.expiresAt === "string" && new Date(row.expiresAt) <= now) {
    errors.push({ pointer: "/expiresAt", message: "Must be in the future." });
  }
  if (!canBeginKey(row.start)) {
    const message = `Keys that begin with ${KEY_BRAND}_ and do not have the form of keys made here are refused unseen, so this one would never work.`;
    errors.push({ pointer: "/start", message });
  }
  const { externalId, metadata } = row;
  if (externalId !== undefined) {
    if ((metadata["externalId"] ?? externalId) !== externalId) {
      errors.push({ pointer: "/externalId", message: "The metadata has a different externalId." });
    }
    if (!("externalId" in metadata) && Object.keys(metadata).length >= METADATA_ENTRIES_MAX) {
      errors.push({ pointer: "/externalId", message: "The metadata has no room for it." });
    }
  }
  // The shown characters must not be the whole key, and the hash of an empty text belongs to no key.
  for (const text of ["", row.start, row.lastFour, row.start + row.lastFour]) {
    if (hashKey(text) === row.hash) {
      errors.push({ pointer: "/hash", message: HASH_REFUSED });
      break;
    }
  }
  return errors;
}

/** Reads one row by the contract. */
export function readImportRow(value: unknown): ReadRow {
  const parsed = importKeyRow.safeParse(value);
  return parsed.success ? { row: parsed.data } : { errors: toErrors(parsed.error.issues) };
}
