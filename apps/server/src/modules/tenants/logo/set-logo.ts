import { createHash } from "node:crypto";
import type { Logo } from "@turnpike/contract/logos";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { PICTURE_BYTES_MAX } from "@turnpike/domain/files/picture-type";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { type FileStore, StorageFullError } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import { publishTenant } from "../tenants.store.ts";
import { findLogoRow, writeLogo } from "./logo.store.ts";
import type { LogoDrawer } from "./logo-drawer.ts";
import { LOGO_PICTURES, type LogoFit } from "./logo-pictures.ts";

export type LogoDeps = AppServices & {
  fileStore: FileStore;
  drawer: LogoDrawer;
  /** Asked before pictures are stored. Left out: there is always room. */
  assertMayStore?: StorageGuard["assertMayStore"];
};

type Place = { tenantId: TenantId };

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

async function deleteFiles(
  deps: Pick<LogoDeps, "fileStore" | "logger">,
  fileIds: readonly string[],
): Promise<void> {
  for (const fileId of fileIds) {
    await deps.fileStore.delete(fileId).catch((error: unknown) => {
      deps.logger.warn({ err: error, fileId }, "a picture of a logo is left to the sweep");
    });
  }
}

/** Stores the pictures; all or none. */
async function storePictures(deps: LogoDeps, pictures: readonly Uint8Array[]): Promise<string[]> {
  const fileIds: string[] = [];
  try {
    for (const picture of pictures) {
      const fileId = deps.newId("file");
      fileIds.push(fileId);
      await deps.fileStore.put(fileId, once(picture), { bytesMax: PICTURE_BYTES_MAX });
    }
    return fileIds;
  } catch (error) {
    await deleteFiles(deps, fileIds);
    if (error instanceof StorageFullError) {
      throw new AppError({
        code: "STORAGE_FULL",
        publicMessage: "There is no room to store the logo. Nothing was stored.",
        cause: error,
      });
    }
    throw error;
  }
}

/** The id of the tenant is part of it: two tenants with one picture have two addresses, and neither tells of the other. */
function hashPictures(tenantId: TenantId, pictures: readonly Uint8Array[]): string {
  const hash = createHash("sha256").update(tenantId);
  for (const picture of pictures) {
    hash.update(picture);
  }
  return hash.digest("hex");
}

/** Puts another logo, or none, in place of the one there is. @returns The files of that one. */
async function replaceLogo(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: Place & { logo: { logo_id: string; logo_files: readonly string[] } | undefined },
): Promise<string[]> {
  const { tenantId, logo } = input;
  await lockTenant(tx, tenantId);
  const before = await findLogoRow(tx, tenantId);
  if (logo === undefined && before?.logo_id === null) {
    throw resourceNotFound("logo");
  }
  await writeLogo(tx, tenantId, { ...logo, now: deps.clock.now() });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: logo === undefined ? "tenant.logo_removed" : "tenant.logo_changed",
    entityType: "tenant",
    entityId: tenantId,
    details: logo === undefined ? {} : { logoId: logo.logo_id },
  });
  await publishTenant(tx, tenantId);
  return before?.logo_files ?? [];
}

/**
 * Draws a picture anew and makes it the logo of a tenant.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `RESOURCE_NOT_FOUND` (no such tenant), `UNSUPPORTED_MEDIA_TYPE` (nothing can be drawn of
 *   it, with the reason), `OVERLOADED`, `STORAGE_FULL`. Then the logo from before stays.
 */
export async function setLogo(
  deps: LogoDeps,
  context: CallContext,
  input: Place & { bytes: Uint8Array; fit: LogoFit },
): Promise<Logo> {
  const { tenantId, bytes, fit } = input;
  assertMayInTenant(context.actor, "tenants:write", tenantId);
  await deps.assertMayStore?.(tenantId);
  // Before the work of drawing, for a tenant that is not there.
  if ((await deps.transact.asTenant(tenantId, (tx) => findLogoRow(tx, tenantId))) === undefined) {
    throw resourceNotFound("tenant");
  }
  const drawn = await deps.drawer.draw({ bytes, fit });
  if (!drawn.ok) {
    throw new AppError({ code: "UNSUPPORTED_MEDIA_TYPE", publicMessage: drawn.reason });
  }
  const pictures = LOGO_PICTURES.map((name) => drawn.pictures[name]);
  const logoId = hashPictures(tenantId, pictures);
  const fileIds = await storePictures(deps, pictures);
  const logo = { logo_id: logoId, logo_files: fileIds };
  let replaced: string[];
  try {
    replaced = await deps.transact.asTenant(tenantId, (tx) =>
      replaceLogo(deps, tx, context, { tenantId, logo }),
    );
  } catch (error) {
    await deleteFiles(deps, fileIds);
    throw error;
  }
  await deleteFiles(deps, replaced);
  return { logoId };
}

/**
 * Removes the logo of a tenant. Copies in caches stay until these forget them.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` for a tenant that is missing or has none.
 */
export async function removeLogo(
  deps: Omit<LogoDeps, "drawer">,
  context: CallContext,
  { tenantId }: Place,
): Promise<void> {
  assertMayInTenant(context.actor, "tenants:write", tenantId);
  const replaced = await deps.transact.asTenant(tenantId, (tx) =>
    replaceLogo(deps, tx, context, { tenantId, logo: undefined }),
  );
  await deleteFiles(deps, replaced);
}
