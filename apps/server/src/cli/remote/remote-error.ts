/** Another installation could not be asked, or did not answer as one. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code = "REMOTE_UNAVAILABLE";
}
