import { COMMAND_LINE } from "#platform/published.ts";
import { quoteWord } from "#platform/quote-word.ts";
import type { Config } from "../../config.ts";

/** What a person types in front of a command of this installation, in another terminal. */
export function commandHere({
  dataFolder,
  isDataFolderNamed,
}: Pick<Config, "dataFolder" | "isDataFolderNamed">): string {
  return isDataFolderNamed
    ? `TURNPIKE_DATA_DIR=${quoteWord(dataFolder)} ${COMMAND_LINE}`
    : COMMAND_LINE;
}
