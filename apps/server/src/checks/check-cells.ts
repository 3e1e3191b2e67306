import { CellTakenError, DirectorySecretError } from "#modules/cells/index.ts";
import type { Config } from "../config.ts";
import { openDirectory } from "../open-directory.ts";
import { type Finding, ok } from "./check.ts";

/** A cell that runs gives a sign of life every five seconds. */
const SILENT_MS = 60_000;

/** Whether the directory of cells answers, and each cell gives signs of life. */
export async function checkCells(
  config: Pick<Config, "cell" | "directoryUrl" | "cellsSecret">,
  now: Date,
): Promise<Finding> {
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
