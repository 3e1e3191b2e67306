import { CellTakenError, DirectorySecretError } from "#modules/cells/index.ts";
import type { TenantOnItsWay } from "#modules/moves/index.ts";
import type { Config } from "../config.ts";
import { openDirectory } from "../open-directory.ts";
import { type Finding, ok } from "./check.ts";

/** A cell that runs gives a sign of life every five seconds. */
const SILENT_MS = 60_000;

/** A move takes seconds or minutes: one that takes longer was stopped. */
const MOVING_MS = 30 * 60_000;

function toStoppedMove(moves: readonly TenantOnItsWay[], now: Date): Finding | undefined {
  const stopped = moves.filter(({ changedAt }) => now.getTime() - changedAt.getTime() > MOVING_MS);
  return stopped.length === 0
    ? undefined
    : {
        state: "failed",
        seen: `A move to another cell was begun and not ended: ${stopped.map(({ slug }) => slug).join(", ")}.`,
        advice:
          "Calls of these tenants are refused. Run the same turnpike tenants move again, or add --cancel.",
      };
}

/**
 * Whether the directory of cells answers, each cell gives signs of life, and every move has ended.
 *
 * @param moves - Tenants that are about to leave this cell, or are on their way.
 */
export async function checkCells(
  config: Pick<Config, "cell" | "directoryUrl" | "cellsSecret">,
  moves: readonly TenantOnItsWay[],
  now: Date,
): Promise<Finding> {
  const stopped = toStoppedMove(moves, now);
  if (stopped !== undefined) {
    return stopped;
  }
  const directory = openDirectory(config);
  if (directory === undefined) {
    return ok("This installation stands alone.");
  }
  try {
    const cells = await directory.listCells();
    const silent = cells.filter(({ seenAt }) => now.getTime() - seenAt.getTime() > SILENT_MS);
    const seen = `The directory has ${String(cells.length)} cells: ${cells.map(({ name }) => name).join(", ")}.`;
    return silent.length === 0
      ? ok(seen)
      : {
          state: "warning",
          seen: `${seen} No sign of life for a minute from: ${silent.map(({ name }) => name).join(", ")}.`,
          advice:
            "Calls with their keys fail at every cell. Start them, or check their way to the directory and their clocks.",
        };
  } catch (error) {
    return {
      state: "failed",
      seen:
        error instanceof DirectorySecretError || error instanceof CellTakenError
          ? error.message
          : "The directory of cells cannot be reached.",
      advice:
        "No keys and tenants can be made until it is. Check the PostgreSQL at TURNPIKE_DIRECTORY_URL, and that all cells have the same TURNPIKE_CELLS_SECRET.",
    };
  } finally {
    await directory.close();
  }
}
