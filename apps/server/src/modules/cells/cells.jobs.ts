import { AppError } from "@turnpike/domain/errors/app-error";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { type CompareDirectoryDeps, compareDirectory } from "./compare-directory.ts";

/** A directory that is away is no failure of the job: the next run goes on. */
async function compareWhenThere(
  deps: CompareDirectoryDeps,
  attempt: { signal: AbortSignal },
): Promise<void> {
  try {
    await compareDirectory(deps, attempt);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "DIRECTORY_UNAVAILABLE")) {
      throw error;
    }
    deps.logger.debug({ err: error }, "The directory of cells was not compared");
  }
}

/** @param deps.directory - Undefined where this installation stands alone: then there is nothing to do. */
export function createCellsJobs({
  directory,
  ...deps
}: Omit<CompareDirectoryDeps, "directory"> & {
  directory: CompareDirectoryDeps["directory"] | undefined;
}): RegisteredJob[] {
  return directory === undefined
    ? []
    : [
        registerSchedule({
          name: "cells.compare",
          cron: "* * * * *",
          run: (attempt) => compareWhenThere({ ...deps, directory }, attempt),
        }),
      ];
}
