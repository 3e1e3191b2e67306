import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type ArrivedRequest, type SigningKeys, verifySigV4 } from "./verify-sigv4.ts";

type StoredObject = {
  bytes: Buffer;
  etag: string;
  headers: Readonly<Record<string, string>>;
  modifiedAt: Date;
};
type Upload = {
  key: string;
  headers: Readonly<Record<string, string>>;
  parts: Map<number, { bytes: Buffer; etag: string }>;
  initiatedAt: Date;
};

/** What the next requests are answered instead of what they ask for. */
export type S3Fault = {
  /** Which requests; the others are served. */
  matches: (request: ArrivedRequest) => boolean;
  /** Undefined: the connection is cut, after the request was served when `isServed` is set. */
  status?: number;
  code?: string;
  isServed?: boolean;
};

export type S3Server = {
  /** Without a slash at the end. */
  url: string;
  bucket: string;
  keys: SigningKeys;
  requests: ArrivedRequest[];
  /** Each is used up by one request. */
  faults: S3Fault[];
  /** The keys of all objects. */
  listKeys(): string[];
  /** Uploads in parts that were neither completed nor aborted. */
  countUploads(): number;
  /** What the server takes for the time. Default: the system's. */
  now: () => Date;
  close(): Promise<void>;
};

/** A failure as S3 answers it. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const PART_BYTES_MIN = 5 * 1024 * 1024;
const KEPT_HEADERS = /^(content-type|x-amz-meta-.*)$/;
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes);
const STATUS_OF: Readonly<Record<string, number>> = {
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  XAmzContentSHA256Mismatch: 400,
};

function toXml(name: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${content}</${name}>`;
}

function readRange(header: string | undefined, length: number): [number, number] | undefined {
  const match = /^bytes=(\d+)-(\d+)$/.exec(header ?? "");
  if (match === null) {
    return undefined;
  }
  const [first, last] = [Number(match[1]), Math.min(Number(match[2]), length - 1)];
  if (first > last) {
    throw new Refusal(416, "InvalidRange");
  }
  return [first, last];
}

/** Checks what the sender says of the body besides its signature. */
function assertIntact({ headers, body }: ArrivedRequest): void {
  const given = headers["content-md5"];
  if (given !== undefined && given !== md5(body).digest("base64")) {
    throw new Refusal(400, "BadDigest");
  }
  const checksum = headers["x-amz-checksum-sha256"];
  if (checksum !== undefined && checksum !== createHash("sha256").update(body).digest("base64")) {
    throw new Refusal(400, "BadDigest");
  }
}

/**
 * Starts an S3-compatible store in memory with one bucket, as strict as the real ones where a client could go wrong: it verifies
 * signatures, conditions, checksums, ranges and the sizes of parts, and answers listings page by page.
 *
 * @param options.pageSize - Keys of a page. Default: 1,000.
 * @param options.conditions - How the server treats conditions of writes. `refused` is what OpenStack Swift does, which also applies
 *   the one at the end of an upload to the upload itself; `unquoted` is what Ceph does, which compares tags without their quotes.
 *   Default: `kept`.
 */
export async function startS3Server(
  options: { pageSize?: number; conditions?: "kept" | "refused" | "ignored" | "unquoted" } = {},
): Promise<S3Server> {
  const { pageSize = 1_000, conditions = "kept" } = options;
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Upload>();

  function assertCondition(headers: ArrivedRequest["headers"], key: string): void {
    const found = objects.get(key);
    const ifMatch = headers["if-match"];
    const isConditional = ifMatch !== undefined || headers["if-none-match"] !== undefined;
    if (conditions === "ignored" || !isConditional) {
      return;
    }
    if (conditions === "refused") {
      throw new Refusal(501, "NotImplemented");
    }
    if (headers["if-none-match"] === "*" && found !== undefined) {
      throw new Refusal(412, "PreconditionFailed");
    }
    if (ifMatch !== undefined && found === undefined) {
      throw new Refusal(404, "NoSuchKey");
    }
    const etag = conditions === "unquoted" ? found?.etag.replaceAll('"', "") : found?.etag;
    if (ifMatch !== undefined && ifMatch !== etag) {
      throw new Refusal(412, "PreconditionFailed");
    }
  }

  function keep(key: string, object: Omit<StoredObject, "modifiedAt">): void {
    objects.set(key, { ...object, modifiedAt: server.now() });
  }

  function keptHeaders(headers: ArrivedRequest["headers"]): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name)));
  }

  function getUpload(key: string, uploadId: string): Upload {
    const upload = uploads.get(uploadId);
    if (upload?.key !== key) {
      throw new Refusal(404, "NoSuchUpload");
    }
    return upload;
  }

  function put(request: ArrivedRequest, key: string, query: URLSearchParams, res: ServerResponse) {
    assertIntact(request);
    const bytes = Buffer.from(request.body);
    const etag = `"${md5(bytes).digest("hex")}"`;
    const uploadId = query.get("uploadId");
    if (uploadId === null) {
      assertCondition(request.headers, key);
      keep(key, { bytes, etag, headers: keptHeaders(request.headers) });
    } else {
      getUpload(key, uploadId).parts.set(Number(query.get("partNumber")), { bytes, etag });
    }
    res.writeHead(200, { etag }).end();
  }

  function read(request: ArrivedRequest, key: string, query: URLSearchParams, res: ServerResponse) {
    const found = objects.get(key);
    if (found === undefined) {
      throw new Refusal(404, "NoSuchKey");
    }
    const range = readRange(request.headers["range"], found.bytes.length);
    const bytes = range === undefined ? found.bytes : found.bytes.subarray(range[0], range[1] + 1);
    const overrides = [...query]
      .filter(([name]) => name.startsWith("response-"))
      .map(([name, value]) => [name.slice("response-".length), value]);
    res.writeHead(range === undefined ? 200 : 206, {
      ...found.headers,
      ...Object.fromEntries(overrides),
      "content-length": bytes.length,
      etag: found.etag,
      "last-modified": found.modifiedAt.toUTCString(),
    });
    res.end(request.method === "HEAD" ? undefined : bytes);
  }

  function begin(request: ArrivedRequest, key: string, res: ServerResponse) {
    const uploadId = randomUUID();
    const headers = keptHeaders(request.headers);
    uploads.set(uploadId, { key, headers, parts: new Map(), initiatedAt: server.now() });
    res.end(toXml("InitiateMultipartUploadResult", `<UploadId>${uploadId}</UploadId>`));
  }

  function complete(request: ArrivedRequest, key: string, uploadId: string, res: ServerResponse) {
    const upload = getUpload(key, uploadId);
    if (conditions === "refused" && request.headers["if-none-match"] !== undefined) {
      throw new Refusal(412, "PreconditionFailed");
    }
    assertCondition(request.headers, key);
    const named = [
      ...Buffer.from(request.body)
        .toString()
        .matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g),
    ].map(([, number, etag]) => ({ part: upload.parts.get(Number(number)), etag }));
    const bodies = named.map(({ part, etag }, index) => {
      if (part === undefined || part.etag !== etag) {
        throw new Refusal(400, "InvalidPart");
      }
      if (index < named.length - 1 && part.bytes.length < PART_BYTES_MIN) {
        throw new Refusal(400, "EntityTooSmall");
      }
      return part.bytes;
    });
    const bytes = Buffer.concat(bodies);
    const etag = `"${md5(bytes).digest("hex")}-${String(bodies.length)}"`;
    keep(key, { bytes, etag, headers: upload.headers });
    uploads.delete(uploadId);
    res.end(toXml("CompleteMultipartUploadResult", `<ETag>${etag}</ETag>`));
  }

  function listObjects(query: URLSearchParams, res: ServerResponse) {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? "";
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after);
    const page = keys.toSorted().slice(0, pageSize);
    const last = page.at(-1) ?? "";
    const next =
      keys.length > page.length ? `<NextContinuationToken>${last}</NextContinuationToken>` : "";
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
    res.end(
      toXml(
        "ListBucketResult",
        `<IsTruncated>${String(next !== "")}</IsTruncated>${contents}${next}`,
      ),
    );
  }

  function listUploads(query: URLSearchParams, res: ServerResponse) {
    const prefix = query.get("prefix") ?? "";
    const marker = `${query.get("key-marker") ?? ""} ${query.get("upload-id-marker") ?? ""}`;
    const all = [...uploads]
      .map(([uploadId, upload]) => ({ uploadId, ...upload, at: `${upload.key} ${uploadId}` }))
      .filter(({ key, at }) => key.startsWith(prefix) && at > marker)
      .toSorted((a, b) => (a.at < b.at ? -1 : 1));
    const page = all.slice(0, pageSize);
    const last = page.at(-1);
    const contents = page.map(
      ({ key, uploadId, initiatedAt }) =>
        `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId><Initiated>${initiatedAt.toISOString()}</Initiated></Upload>`,
    );
    const next =
      all.length > page.length && last !== undefined
        ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.uploadId}</NextUploadIdMarker>`
        : "<IsTruncated>false</IsTruncated>";
    res.end(toXml("ListMultipartUploadsResult", `${next}${contents.join("")}`));
  }

  function serve(request: ArrivedRequest, res: ServerResponse): void {
    const url = new URL(request.target, "http://store.test");
    const query = url.searchParams;
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split("/");
    const key = rest.join("/");
    const verdict = verifySigV4(request, server.keys, server.now().getTime());
    if (verdict !== undefined) {
      throw new Refusal(STATUS_OF[verdict] ?? 403, verdict);
    }
    if (bucket !== server.bucket) {
      throw new Refusal(404, "NoSuchBucket");
    }
    const { method } = request;
    const uploadId = query.get("uploadId");
    if (key === "" && method === "GET") {
      (query.has("uploads") ? listUploads : listObjects)(query, res);
    } else if (method === "PUT") {
      put(request, key, query, res);
    } else if (method === "GET" || method === "HEAD") {
      read(request, key, query, res);
    } else if (method === "POST" && query.has("uploads")) {
      begin(request, key, res);
    } else if (method === "POST" && uploadId !== null) {
      complete(request, key, uploadId, res);
    } else if (method === "DELETE") {
      if (uploadId === null) {
        objects.delete(key);
      } else {
        getUpload(key, uploadId);
        uploads.delete(uploadId);
      }
      res.writeHead(204).end();
    } else {
      throw new Refusal(405, "MethodNotAllowed");
    }
  }

  function answer(res: ServerResponse, method: string, { status, code }: Refusal): void {
    res.writeHead(status, { "content-type": "application/xml" });
    res.end(method === "HEAD" ? undefined : toXml("Error", `<Code>${code}</Code>`));
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request: ArrivedRequest = {
      method: req.method ?? "",
      target: req.url ?? "",
      headers: Object.fromEntries(
        Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: await buffer(req),
    };
    server.requests.push(request);
    const at = server.faults.findIndex(({ matches }) => matches(request));
    const [fault] = at === -1 ? [] : server.faults.splice(at, 1);
    if (fault !== undefined && fault.isServed !== true) {
      if (fault.status === undefined) {
        res.destroy();
      } else {
        answer(res, request.method, new Refusal(fault.status, fault.code ?? ""));
      }
      return;
    }
    if (fault !== undefined) {
      // It is served, and its answer is lost.
      res.destroy();
    }
    try {
      serve(request, res);
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error;
      }
      answer(res, request.method, error);
    }
  }

  const http = createServer((req, res) => {
    handle(req, res).catch(() => res.destroy());
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const server: S3Server = {
    url: `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`,
    bucket: "turnpike-files",
    keys: {
      accessKeyId: "AKIDTESTS",
      secretAccessKey: "a-secret-key-that-only-tests-use",
      region: "eu-central-1",
    },
    requests: [],
    faults: [],
    listKeys: () => [...objects.keys()].toSorted(),
    countUploads: () => uploads.size,
    now: () => new Date(),
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
  return server;
}
