import { CALL_METHODS } from "@turnpike/contract/reference";
import type { Reference, ReferenceOperation } from "@turnpike/domain/routes/read-reference";
import { findSampleBody, isWritable, toSampleRequest } from "./samples.ts";

export type CallMethod = (typeof CALL_METHODS)[number];

export type SampleCall = {
  method: CallMethod;
  /** Path and query, which mean nothing else in any shell or program. */
  target: string;
  /** Beside `Authorization`. */
  headers: { name: string; value: string }[];
  body: string | null;
};

type CallOperation = ReferenceOperation & { method: CallMethod };

function isCall(operation: ReferenceOperation): operation is CallOperation {
  const body = findSampleBody(operation);
  return (
    CALL_METHODS.some((method) => method === operation.method) &&
    (body === undefined || isWritable(body))
  );
}

/** Lists the operations that a sample can call, in the order of the documents; of two with one method and path the first. */
export function listCalls(references: readonly Reference[]): CallOperation[] {
  const found = new Map<string, CallOperation>();
  for (const operation of references.flatMap(({ operations }) => operations).filter(isCall)) {
    const name = `${operation.method} ${operation.path}`;
    if (!found.has(name)) {
      found.set(name, operation);
    }
  }
  return [...found.values()];
}

/** Encodes what would mean something in a shell, a text of a program or an address: the `$` of OData, names without a value. */
function encodeTarget(target: string): string {
  return target.replace(/[^\w\-.~&()*+,;=:@%/?]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}

/** @returns Undefined when no document describes such a call. */
export function findSampleCall(
  references: readonly Reference[],
  wanted: { method: CallMethod; path: string },
): SampleCall | undefined {
  for (const reference of references) {
    const operation = listCalls([reference]).find(
      ({ method, path }) => method === wanted.method && path === wanted.path,
    );
    if (operation !== undefined) {
      const { url, headers, body } = toSampleRequest(operation, reference.schemas, undefined);
      return {
        method: operation.method,
        target: encodeTarget(url),
        headers,
        body: body?.text ?? null,
      };
    }
  }
  return undefined;
}
