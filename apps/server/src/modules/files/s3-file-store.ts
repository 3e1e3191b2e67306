import { createHash } from "node:crypto";
import { isId } from "@turnpike/domain/ids/ids";
import { type S3Client, S3Error, textAt, valueAt } from "#platform/s3-client.ts";
import { createContentMeter, toChunks } from "./cut-content.ts";
import { assertFileId, type FileStore, StorageFullError, type StoredFile } from "./file-store.ts";
import { ABSENT, type Condition, createConditionProbe, isNotImplemented } from "./s3-conditions.ts";

/** In memory for each writer. A store takes parts of 5 MiB or more, at most 10,000 of them. */
const PART_BYTES = 8 * 1024 * 1024;
const MEDIA_TYPE = "application/octet-stream";
/** Writes under a condition: another writer of the same file may come between a look and a write. */
const WRITES_MAX = 4;
/** What stores call it when there is no room. */
const FULL_CODES = new Set(["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"]);
const FULL_STATUS = 507;

function hasStatus(error: unknown, status: number): error is S3Error {
  return error instanceof S3Error && error.status === status;
}

/** The object is not there. That the bucket is missing too is a mistake in the settings. */
function isMissing(error: unknown): boolean {
  return hasStatus(error, 404) && error.code !== "NoSuchBucket";
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function listAt(document: unknown, ...names: readonly string[]): readonly unknown[] {
  const list = valueAt(document, ...names);
  return Array.isArray(list) ? list : [];
}

type Upload = { fileId: string; uploadId: string };

/**
 * Stores files in a bucket, each under the prefix and its id. Writes are conditional where the store keeps to conditions: a write
 * that arrives twice, because its answer was lost, is not taken for the write of another process. Without conditions the last of
 * several writers wins, with its whole content.
 */
export function createS3FileStore(client: S3Client, { prefix }: { prefix: string }): FileStore {
  const keyOf = (fileId: string): string => {
    assertFileId(fileId);
    return `${prefix}${fileId}`;
  };

  const keepsConditions = createConditionProbe(client);
  const probeKeyOf = (fileId: string): string => `${prefix}probe-${fileId}`;

  async function look(fileId: string) {
    try {
      return (await client.call({ method: "HEAD", key: keyOf(fileId) })).headers;
    } catch (error) {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /**
   * Writes if there is nothing, or in place of exactly what was seen.
   *
   * @param isOurs - Whether what is there came from an earlier attempt at this very write.
   */
  async function writeConditionally(
    fileId: string,
    input: {
      write: (condition: Condition) => Promise<unknown>;
      isOurs: (headers: Readonly<Record<string, string | undefined>>) => boolean;
    },
  ): Promise<void> {
    let condition: Condition = ABSENT;
    let seen: string | undefined;
    for (let tried = 1; ; tried += 1) {
      try {
        await input.write(condition);
        return;
      } catch (error) {
        if (isNotImplemented(error)) {
          await input.write({});
          return;
        }
        if (!hasStatus(error, 412) || tried === WRITES_MAX) {
          throw error;
        }
      }
      const found = await look(fileId);
      if (found !== undefined && input.isOurs(found)) {
        return;
      }
      const etag = found?.["etag"];
      // Some stores know their own tags only without quotes: what they refused has not changed.
      const tag = etag === seen ? etag?.replaceAll('"', "") : etag;
      condition = tag === undefined ? ABSENT : { "if-match": tag };
      seen = etag;
    }
  }

  async function putWhole(fileId: string, body: Uint8Array, mediaType: string): Promise<void> {
    const hash = sha256(body);
    const hex = hash.toString("hex");
    const headers = {
      "content-type": mediaType,
      "x-amz-checksum-sha256": hash.toString("base64"),
      "x-amz-meta-sha256": hex,
    };
    await writeConditionally(fileId, {
      write: (condition) =>
        client.call({
          method: "PUT",
          key: keyOf(fileId),
          headers: { ...headers, ...condition },
          body,
        }),
      isOurs: (found) => found["x-amz-meta-sha256"] === hex,
    });
  }

  async function putPart(
    { fileId, uploadId }: Upload,
    { partNumber, body }: { partNumber: number; body: Uint8Array },
  ): Promise<string> {
    const { headers } = await client.call({
      method: "PUT",
      key: keyOf(fileId),
      query: { partNumber: String(partNumber), uploadId },
      body,
    });
    return `<Part><PartNumber>${String(partNumber)}</PartNumber><ETag>${headers["etag"] ?? ""}</ETag></Part>`;
  }

  async function finish(
    { fileId, uploadId }: Upload,
    { parts, bytes }: { parts: readonly string[]; bytes: number },
  ): Promise<void> {
    const isOurs = (found: Readonly<Record<string, string | undefined>>) =>
      found["x-amz-meta-upload"] !== undefined && Number(found["content-length"]) === bytes;
    const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
    const write = (condition: Condition) =>
      client.call({
        method: "POST",
        key: keyOf(fileId),
        query: { uploadId },
        headers: { "content-type": "application/xml", ...condition },
        body,
      });
    try {
      await ((await keepsConditions(probeKeyOf(fileId)))
        ? writeConditionally(fileId, { write, isOurs: () => false })
        : write({}));
    } catch (error) {
      // It had ended before, and its answer was lost.
      const found = hasStatus(error, 404) ? await look(fileId) : undefined;
      if (found === undefined || !isOurs(found)) {
        throw error;
      }
    }
  }

  async function abort({ fileId, uploadId }: Upload): Promise<void> {
    try {
      await client.call({ method: "DELETE", key: keyOf(fileId), query: { uploadId } });
    } catch (error) {
      if (!hasStatus(error, 404)) {
        throw error;
      }
    }
  }

  async function putInParts(
    fileId: string,
    input: {
      bodies: AsyncIterable<Uint8Array>;
      mediaType: string;
      bytes: () => number;
    },
  ): Promise<void> {
    const { document } = await client.call({
      method: "POST",
      key: keyOf(fileId),
      query: { uploads: "" },
      headers: { "content-type": input.mediaType, "x-amz-meta-upload": "parts" },
    });
    const upload = {
      fileId,
      uploadId: textAt(document, "InitiateMultipartUploadResult", "UploadId"),
    };
    try {
      const parts: string[] = [];
      for await (const body of input.bodies) {
        parts.push(await putPart(upload, { partNumber: parts.length + 1, body }));
      }
      await finish(upload, { parts, bytes: input.bytes() });
    } catch (error) {
      // If this fails too, the sweep ends it.
      await abort(upload).catch(() => undefined);
      throw error;
    }
  }

  async function put(
    fileId: string,
    content: AsyncIterable<Uint8Array>,
    { bytesMax, mediaType = MEDIA_TYPE }: { bytesMax: number; mediaType?: string },
  ): Promise<StoredFile> {
    assertFileId(fileId);
    const meter = createContentMeter(bytesMax);
    const chunks = toChunks(meter.pass(content), PART_BYTES);
    const first = await chunks.next();
    const second = first.done === true ? first : await chunks.next();
    if (first.done === true || second.done === true) {
      await putWhole(fileId, first.done === true ? new Uint8Array() : first.value, mediaType);
      return meter.result();
    }
    let bytes = 0;
    const bodies = (async function* () {
      for (const chunk of [first.value, second.value]) {
        bytes += chunk.byteLength;
        yield chunk;
      }
      for await (const chunk of chunks) {
        bytes += chunk.byteLength;
        yield chunk;
      }
    })();
    await putInParts(fileId, { bodies, mediaType, bytes: () => bytes });
    return meter.result();
  }

  /** Pages of a listing of the bucket. */
  async function* listPages(
    query: Readonly<Record<string, string>>,
    toNext: (document: unknown) => Readonly<Record<string, string>> | undefined,
  ): AsyncGenerator<unknown> {
    let next: Readonly<Record<string, string>> | undefined = {};
    while (next !== undefined) {
      const { document } = await client.call({
        method: "GET",
        query: { ...query, prefix: `${prefix}file_`, ...next },
      });
      yield document;
      next = toNext(document);
    }
  }

  return {
    direct: {
      async signUpload(fileId, { bytes, mediaType, sha256: hash, expiresInSeconds }) {
        if (!(await keepsConditions(probeKeyOf(fileId)))) {
          return;
        }
        const sent = {
          "content-type": mediaType,
          "x-amz-checksum-sha256": Buffer.from(hash).toString("base64"),
          ...ABSENT,
        };
        const url = await client.sign({
          method: "PUT",
          key: keyOf(fileId),
          // Browsers send the length by themselves, and the store refuses any other.
          headers: { ...sent, "content-length": String(bytes) },
          expiresInSeconds,
        });
        return { url, headers: sent };
      },
      async signDownload(fileId, { mediaType, disposition, expiresInSeconds }) {
        return (await look(fileId)) === undefined
          ? undefined
          : await client.sign({
              method: "GET",
              key: keyOf(fileId),
              query: {
                "response-content-disposition": disposition,
                "response-content-type": mediaType,
              },
              expiresInSeconds,
            });
      },
    },
    async put(...input) {
      try {
        return await put(...input);
      } catch (error) {
        if (
          hasStatus(error, FULL_STATUS) ||
          (error instanceof S3Error && FULL_CODES.has(error.code))
        ) {
          throw new StorageFullError("The file store has no room left.", { cause: error });
        }
        throw error;
      }
    },
    async open(fileId, range) {
      const key = keyOf(fileId);
      const asked = range && { range: `bytes=${String(range.first)}-${String(range.last)}` };
      try {
        const { status, content } = await client.open(key, asked);
        if (range !== undefined && status !== 206) {
          throw new S3Error({ message: "The file store knows no ranges.", status });
        }
        return content;
      } catch (error) {
        if (isMissing(error)) {
          return undefined;
        }
        throw error;
      }
    },
    async stat(fileId) {
      assertFileId(fileId);
      const found = await look(fileId);
      return (
        found && {
          bytes: Number(found["content-length"]),
          storedAt: new Date(found["last-modified"] ?? ""),
        }
      );
    },
    async delete(fileId) {
      await client.call({ method: "DELETE", key: keyOf(fileId) });
    },
    async deleteAbandoned(before) {
      let ended = 0;
      const result = "ListMultipartUploadsResult";
      const pages = listPages({ uploads: "" }, (page) =>
        textAt(page, result, "IsTruncated") === "true"
          ? {
              "key-marker": textAt(page, result, "NextKeyMarker"),
              "upload-id-marker": textAt(page, result, "NextUploadIdMarker"),
            }
          : undefined,
      );
      try {
        for await (const page of pages) {
          for (const upload of listAt(page, result, "Upload")) {
            const fileId = textAt(upload, "Key").slice(prefix.length);
            const begunAt = Date.parse(textAt(upload, "Initiated"));
            if (isId("file", fileId) && begunAt < before.getTime()) {
              await abort({ fileId, uploadId: textAt(upload, "UploadId") });
              ended += 1;
            }
          }
        }
      } catch (error) {
        // A store that does not list them ends them by a rule of its own.
        if (!isNotImplemented(error)) {
          throw error;
        }
      }
      return ended;
    },
    async *list() {
      const result = "ListBucketResult";
      const pages = listPages({ "list-type": "2" }, (page) => {
        const token = textAt(page, result, "NextContinuationToken");
        return token === "" ? undefined : { "continuation-token": token };
      });
      for await (const page of pages) {
        for (const object of listAt(page, result, "Contents")) {
          const fileId = textAt(object, "Key").slice(prefix.length);
          if (isId("file", fileId)) {
            yield fileId;
          }
        }
      }
    },
  };
}
