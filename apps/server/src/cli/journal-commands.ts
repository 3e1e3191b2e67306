import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { recoverFolder } from "#modules/metering/index.ts";
import { openDataFolder } from "#platform/data-folder.ts";
import { forgetNode } from "#platform/join-nodes.ts";
import { listWorkerFolders } from "../start-workers.ts";
import { type Cli, examples } from "./cli.ts";
import { InputFileError } from "./input-file-error.ts";
import { toRecord } from "./print.ts";

/** A journal of hours of an outage takes minutes. */
const TIMEOUT_SECONDS = 3_600;
const recoverInput = z.string().min(1);

type Recovery = {
  folder: string;
  /** Groups of calls in the journals, and how many of them the ledger did not have. */
  groups: number;
  fresh: number;
  /** Segments that could not be read to their end, renamed for a person to look at. */
  damaged: string[];
};

function toText({ folder, groups, fresh, damaged }: Recovery): string {
  return toRecord([
    ["Folder", folder],
    ["Groups in the journal", String(groups)],
    ["Committed now", String(fresh)],
    ["Committed before", String(groups - fresh)],
    ["Damaged segments", damaged.length === 0 ? "none" : damaged.join(", ")],
  ]);
}

/** @throws {InputFileError} when there is no journal: a wrong path must not look like a node that lost nothing. */
async function assertDataFolder(folder: string): Promise<void> {
  const found = await stat(join(folder, "journal")).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new InputFileError(`${folder} is no data folder of Turnpike: it has no folder journal`);
  }
}

/** `turnpike journal …`: usage that a node left on its disk. */
export function addJournalCommands(cli: Cli): void {
  cli.program
    .command("journal")
    .description("commit usage that a node left on its disk")
    .command("recover")
    .description(
      "commit what is in the journal of a node that does not return, and forfeit what it had leased; safe to repeat, and when the node returns later",
    )
    .argument("<folder>", "its data folder, which no process may use")
    .addHelpText("after", examples("journal recover /mnt/web-2/turnpike"))
    .action(async (path) => {
      const folder = resolve(recoverInput.parse(path));
      await cli.run(
        async ({ deps }): Promise<Recovery> => {
          await assertDataFolder(folder);
          const held = await openDataFolder(folder);
          try {
            const recovery: Recovery = { folder, groups: 0, fresh: 0, damaged: [] };
            for (const one of [folder, ...(await listWorkerFolders(folder))]) {
              const { groups, fresh, damaged } = await recoverFolder({ ...deps, folder: one });
              recovery.groups += groups;
              recovery.fresh += fresh;
              recovery.damaged.push(...damaged);
            }
            await forgetNode({ ...deps, folder });
            return recovery;
          } finally {
            await held.release();
          }
        },
        toText,
        TIMEOUT_SECONDS,
      );
    });
}
