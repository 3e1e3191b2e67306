import { databaseErrorCode, isConnectionError } from "@turnpike/db/database-errors";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { Transact } from "#platform/transact.ts";
import type { Cell } from "./cell-databases.ts";

/** SQLSTATE: all connections that the server allows are taken. */
const TOO_MANY_CONNECTIONS = "53300";
/** SQLSTATE class: a full disk, no memory. */
const NO_ROOM = /^53/;

function toSentence(error: unknown, whose: string): unknown {
  const said = error instanceof Error ? error.message.replace(/\.$/, "") : "";
  const refuse = (publicMessage: string) =>
    new AppError({ code: "DATABASE_UNAVAILABLE", publicMessage, cause: error });
  const code = databaseErrorCode(error) ?? "";
  if (isConnectionError(error) || code === TOO_MANY_CONNECTIONS) {
    return refuse(
      `The database of ${whose} cannot be reached: ${said}. Run the same command again once it answers: it goes on where it was.`,
    );
  }
  return NO_ROOM.test(code)
    ? refuse(
        `The database of ${whose} has no room: ${said}. Make room, then run the same command again: it goes on where it was.`,
      )
    : error;
}

function sayWhose(transact: Transact, whose: string): Transact {
  const said = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result;
    } catch (error) {
      throw toSentence(error, whose);
    }
  };
  return {
    asTenant: (tenantId, work) => said(transact.asTenant(tenantId, work)),
    asOperator: (work, share) => said(transact.asOperator(work, share)),
    asOperatorWithDeleted: (work, options) => said(transact.asOperatorWithDeleted(work, options)),
    asOperatorSnapshot: (work) => said(transact.asOperatorSnapshot(work)),
    asAnalyst: (input, work) => said(transact.asAnalyst(input, work)),
    asMeter: (work) => said(transact.asMeter(work)),
  };
}

/**
 * Says of which cell the database is that a transaction could not reach, or that has no room. Other failures stay as they are, and so
 * do those of the directory and of a file store.
 */
export function sayWhichCell<Services extends Cell>(cells: {
  here: Services;
  there: Services;
}): { here: Services; there: Services } {
  const { here, there } = cells;
  return {
    here: { ...here, transact: sayWhose(here.transact, "this cell") },
    there: { ...there, transact: sayWhose(there.transact, "the other cell") },
  };
}
