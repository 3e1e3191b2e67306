/** What the system says most often, as people read it. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "it would be larger than the system allows",
  EACCES: "the permission is missing",
  EPERM: "the permission is missing",
  EROFS: "the disk is read-only",
  ENOTDIR: "a file is where the folder should be",
  EEXIST: "a file is where the folder should be",
  EISDIR: "a folder has its name",
};

/** A file that a command should write cannot be written: the program ends with 1 and says why. */
export class OutputFileError extends Error {
  override readonly name = "OutputFileError";
}

/** Names the file, and why it could not be written. */
export function toOutputFileError(path: string, cause: unknown): OutputFileError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new OutputFileError(`${path} cannot be written: ${reason}.`, { cause });
}
