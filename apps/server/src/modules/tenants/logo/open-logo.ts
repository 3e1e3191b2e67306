import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { findFilesOfLogo } from "./logo.store.ts";
import { LOGO_PICTURES } from "./logo-pictures.ts";
import type { LogoDeps } from "./set-logo.ts";

/**
 * Opens a picture of a logo, for everyone who knows its address: browsers show pictures without a credential, and mails do too.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for a logo that is replaced, removed or never was, and for that of a deleted tenant.
 */
export async function openLogo(
  deps: Pick<LogoDeps, "transact" | "fileStore">,
  input: { logoId: string; picture: string },
): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number; mediaType: string }> {
  const names: readonly string[] = LOGO_PICTURES;
  const at = names.indexOf(input.picture);
  const fileIds =
    at === -1
      ? undefined
      : await deps.transact.asOperator((tx) => findFilesOfLogo(tx, input.logoId));
  const fileId = fileIds?.[at];
  const stored = fileId === undefined ? undefined : await deps.fileStore.stat(fileId);
  const content = fileId === undefined ? undefined : await deps.fileStore.open(fileId);
  if (stored === undefined || content === undefined) {
    throw resourceNotFound("logo");
  }
  const mediaType = input.picture.endsWith(".png") ? "image/png" : "image/webp";
  return { content, bytes: stored.bytes, mediaType };
}
