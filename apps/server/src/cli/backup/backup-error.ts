/** A backup that cannot be made or used; the message is a sentence with a way out. */
export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly code = "BACKUP_UNUSABLE";
}
