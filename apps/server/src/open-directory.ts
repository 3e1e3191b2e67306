import {
  type CellDirectory,
  type DirectorySettings,
  openCellDirectory,
} from "#modules/cells/index.ts";
import type { Config } from "./config.ts";

/** Undefined where this installation stands alone. */
export function toDirectorySettings({
  cell,
  directoryUrl,
  cellsSecret,
}: Pick<Config, "cell" | "directoryUrl" | "cellsSecret">): DirectorySettings | undefined {
  return cell === undefined || directoryUrl === undefined || cellsSecret === undefined
    ? undefined
    : { target: { url: directoryUrl }, secret: cellsSecret, cell: cell.name };
}

/** Opens the directory of cells; sends nothing yet. @returns Undefined where this installation stands alone. */
export function openDirectory(
  config: Parameters<typeof toDirectorySettings>[0],
): CellDirectory | undefined {
  const settings = toDirectorySettings(config);
  return settings && openCellDirectory(settings);
}
