import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { ExportDownload } from "@turnpike/contract/exports";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { FileStore } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type ExportRef, type ExportRow, findExportRow, listExportFiles } from "./exports.store.ts";

export type DownloadDeps = Pick<AppServices, "transact" | "clock"> & {
  fileStore: FileStore;
  /** Signs addresses. Every process of an installation has the same. */
  signingSecret: string;
  /** Origin of the API, without a trailing slash. */
  apiUrl: string;
};

const GOOD_FOR_MS = 5 * 60_000;
const KEY_BYTES = 32;
const DIGITS = /^\d{1,13}$/;

function sign(secret: string, { tenantId, exportId }: ExportRef, expiresAtMs: number): Buffer {
  const key = new Uint8Array(
    hkdfSync("sha256", secret, "", "turnpike: addresses of exports", KEY_BYTES),
  );
  return createHmac("sha256", key)
    .update(`${tenantId}\n${exportId}\n${String(expiresAtMs)}`)
    .digest();
}

async function getDone(deps: DownloadDeps, ref: ExportRef): Promise<ExportRow> {
  const row = await deps.transact.asTenant(ref.tenantId, (tx) => findExportRow(tx, ref));
  if (row === undefined) {
    throw resourceNotFound("export");
  }
  if (row.state !== "done") {
    throw new AppError({
      code: "CONFLICT",
      publicMessage:
        row.state === "expired"
          ? "The content of this export is deleted: make a new one."
          : "This export has no content to download.",
    });
  }
  return row;
}

/**
 * Makes an address at which anyone who has it can read the content of one export, for five minutes.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`; `CONFLICT` when the export is not done, or expired.
 */
export async function createDownload(
  deps: DownloadDeps,
  context: CallContext,
  ref: ExportRef,
): Promise<ExportDownload> {
  const { tenantId, exportId } = ref;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  await getDone(deps, ref);
  const expiresAtMs = deps.clock.now().getTime() + GOOD_FOR_MS;
  const signature = sign(deps.signingSecret, ref, expiresAtMs).toString("base64url");
  const query = `expires=${String(expiresAtMs)}&signature=${signature}`;
  return {
    url: `${deps.apiUrl}/v1/tenants/${tenantId}/exports/${exportId}/content?${query}`,
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}

/**
 * Checks an address and finds its export.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for an address that was not made here, has expired, or is for another export;
 *   `CONFLICT` when the content has been deleted.
 */
export async function openDownload(
  deps: DownloadDeps,
  ref: ExportRef,
  asked: { expires: string; signature: string },
): Promise<{ row: ExportRow; bytes: number; content: AsyncIterable<Uint8Array> }> {
  const expiresAtMs = DIGITS.test(asked.expires) ? Number(asked.expires) : 0;
  const signature = Buffer.from(asked.signature.slice(0, 64), "base64url");
  const expected = sign(deps.signingSecret, ref, expiresAtMs);
  const isOurs = signature.length === expected.length && timingSafeEqual(signature, expected);
  if (!isOurs || expiresAtMs <= deps.clock.now().getTime()) {
    throw resourceNotFound("export");
  }
  const row = await getDone(deps, ref);
  const files = await deps.transact.asTenant(ref.tenantId, (tx) => listExportFiles(tx, ref));
  return {
    row,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    content: readAll(
      deps.fileStore,
      files.map(({ fileId }) => fileId),
    ),
  };
}

async function* readAll(
  fileStore: FileStore,
  fileIds: readonly string[],
): AsyncGenerator<Uint8Array> {
  for (const fileId of fileIds) {
    const content = await fileStore.open(fileId);
    if (content === undefined) {
      throw new Error("A chunk of an export is missing.");
    }
    yield* content;
  }
}
