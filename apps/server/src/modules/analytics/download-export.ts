import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { ExportDownload } from "@turnpike/contract/exports";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { FileStore } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  type ExportPlace,
  type ExportRow,
  findExportRow,
  listExportFiles,
} from "./exports.store.ts";

export type DownloadDeps = Pick<AppServices, "transact" | "clock"> & {
  fileStore: FileStore;
  /** What addresses are signed with: every process of an installation has the same. */
  signingSecret: string;
  /** Origin of the API, without a slash at the end. */
  apiUrl: string;
};

const GOOD_FOR_MS = 5 * 60_000;
const KEY_BYTES = 32;
const DIGITS = /^\d{1,13}$/;

function sign(secret: string, { tenantId, exportId }: ExportPlace, expiresAtMs: number): Buffer {
  const key = new Uint8Array(
    hkdfSync("sha256", secret, "", "turnpike: addresses of exports", KEY_BYTES),
  );
  return createHmac("sha256", key)
    .update(`${tenantId}\n${exportId}\n${String(expiresAtMs)}`)
    .digest();
}

async function getDone(deps: DownloadDeps, place: ExportPlace): Promise<ExportRow> {
  const row = await deps.transact.asTenant(place.tenantId, (tx) => findExportRow(tx, place));
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
 * Makes an address that gives the content of one export to whoever has it, for five minutes.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`; `CONFLICT` when it is not done, or expired.
 */
export async function createDownload(
  deps: DownloadDeps,
  context: CallContext,
  place: ExportPlace,
): Promise<ExportDownload> {
  const { tenantId, exportId } = place;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  await getDone(deps, place);
  const expiresAtMs = deps.clock.now().getTime() + GOOD_FOR_MS;
  const signature = sign(deps.signingSecret, place, expiresAtMs).toString("base64url");
  const query = `expires=${String(expiresAtMs)}&signature=${signature}`;
  return {
    url: `${deps.apiUrl}/v1/tenants/${tenantId}/exports/${exportId}/content?${query}`,
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}

/**
 * Checks an address and finds what it is for.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for every address that was not made here, or is over, or for another export;
 *   `CONFLICT` when the content is deleted meanwhile.
 */
export async function openDownload(
  deps: DownloadDeps,
  place: ExportPlace,
  asked: { expires: string; signature: string },
): Promise<{ row: ExportRow; bytes: number; content: AsyncIterable<Uint8Array> }> {
  const expiresAtMs = DIGITS.test(asked.expires) ? Number(asked.expires) : 0;
  const signature = Buffer.from(asked.signature.slice(0, 64), "base64url");
  const expected = sign(deps.signingSecret, place, expiresAtMs);
  const isOurs = signature.length === expected.length && timingSafeEqual(signature, expected);
  if (!isOurs || expiresAtMs <= deps.clock.now().getTime()) {
    throw resourceNotFound("export");
  }
  const row = await getDone(deps, place);
  const files = await deps.transact.asTenant(place.tenantId, (tx) => listExportFiles(tx, place));
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
      throw new Error("A part of an export is missing.");
    }
    yield* content;
  }
}
