import {
  CellTakenError,
  createKeyPlaces,
  DIRECTORY_CHANNEL,
  DirectorySecretError,
  type KeyPlaces,
  readCellIdentity,
} from "#modules/cells/index.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { StartupError } from "#platform/startup-error.ts";
import type { Installation } from "./deps.ts";

/**
 * Joins the cells that share a directory, also while that is away.
 *
 * @returns Undefined where this installation stands alone.
 * @throws {StartupError} `CELL_REFUSED`.
 */
export async function openKeyPlaces(
  { config, directory, services, logger }: Installation,
  urls: { console: string; gateway: string },
): Promise<KeyPlaces | undefined> {
  const { cell, directoryUrl } = config;
  if (cell === undefined || directory === undefined || directoryUrl === undefined) {
    return undefined;
  }
  const places = createKeyPlaces({
    directory,
    own: {
      address: cell.address,
      consoleUrl: urls.console,
      gatewayUrl: urls.gateway,
      identity: await services.transact.asOperator(readCellIdentity),
    },
    listen: createListen({ url: directoryUrl }, DIRECTORY_CHANNEL),
    clock: services.clock,
    logger,
  });
  try {
    await places.start();
  } catch (error) {
    throw toStartupError(error, cell.name);
  }
  return places;
}

function toStartupError(error: unknown, name: string): unknown {
  if (error instanceof CellTakenError) {
    return new StartupError({
      code: "CELL_REFUSED",
      message: `Another cell that runs is named ${name}`,
      hint: "Give this one a name of its own in cell.name, or the DATABASE_URL of that cell if it is a node of it",
      cause: error,
    });
  }
  if (error instanceof DirectorySecretError) {
    return new StartupError({
      code: "CELL_REFUSED",
      message: "The directory of cells was made with another TURNPIKE_CELLS_SECRET",
      hint: "Give all cells the same one",
      cause: error,
    });
  }
  return error;
}
