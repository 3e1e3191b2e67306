import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** A request as it arrived. */
export type ArrivedRequest = {
  method: string;
  /** Path and query, byte for byte. */
  target: string;
  /** With their names in small letters, the host included. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
};

export type SigningKeys = { accessKeyId: string; secretAccessKey: string; region: string };

/** Why a request is refused, as S3 names it; undefined when its signature holds. */
export type SignatureVerdict =
  | "AccessDenied"
  | "AuthorizationHeaderMalformed"
  | "AuthorizationQueryParametersError"
  | "InvalidAccessKeyId"
  | "RequestTimeTooSkewed"
  | "SignatureDoesNotMatch"
  | "XAmzContentSHA256Mismatch"
  | undefined;

const ALGORITHM = "AWS4-HMAC-SHA256";
const SKEW_MS_MAX = 15 * 60_000;
const WEEK_SECONDS = 604_800;

const hash = (value: Uint8Array | string) => createHash("sha256").update(value).digest("hex");
const hmac = (key: Uint8Array | string, text: string) =>
  createHmac("sha256", key).update(text).digest();

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function parseTime(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)?.slice(1).map(Number);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts ?? [];
  return parts === undefined ? Number.NaN : Date.UTC(year, month - 1, day, hour, minute, second);
}

type Claim = {
  credential: readonly string[];
  signedHeaders: readonly string[];
  signature: string;
  time: string;
  payloadHash: string;
  /** Query strings of addresses say it; headers hold for the skew of clocks. */
  expiresInSeconds: number | undefined;
};

function readHeaderClaim(headers: ArrivedRequest["headers"]): Claim | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/.exec(
      headers["authorization"] ?? "",
    );
  const [, credential = "", signedHeaders = "", signature = ""] = match ?? [];
  return match === null
    ? undefined
    : {
        credential: credential.split("/"),
        signedHeaders: signedHeaders.split(";"),
        signature,
        time: headers["x-amz-date"] ?? "",
        payloadHash: headers["x-amz-content-sha256"] ?? "",
        expiresInSeconds: undefined,
      };
}

function readQueryClaim(query: URLSearchParams): Claim | undefined {
  return query.get("X-Amz-Algorithm") !== ALGORITHM
    ? undefined
    : {
        credential: (query.get("X-Amz-Credential") ?? "").split("/"),
        signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
        signature: query.get("X-Amz-Signature") ?? "",
        time: query.get("X-Amz-Date") ?? "",
        payloadHash: "UNSIGNED-PAYLOAD",
        expiresInSeconds: Number(query.get("X-Amz-Expires")),
      };
}

/** The signature that a request must have, after AWS's description of Signature Version 4 for S3. */
function sign(request: ArrivedRequest, claim: Claim, secretAccessKey: string): string {
  const [path = "", search = ""] = request.target.split("?", 2);
  const query = [...new URLSearchParams(search)]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const headers = claim.signedHeaders
    .map((name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}\n`)
    .join("");
  const canonical = [
    request.method,
    decodeURIComponent(path).split("/").map(encode).join("/"),
    query,
    headers,
    claim.signedHeaders.join(";"),
    claim.payloadHash,
  ].join("\n");
  const [, date = "", region = "", service = ""] = claim.credential;
  const scope = claim.credential.slice(1).join("/");
  const key = [date, region, service, "aws4_request"].reduce<Uint8Array | string>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  return hmac(key, [ALGORITHM, claim.time, scope, hash(canonical)].join("\n")).toString("hex");
}

function isTimely({ time, expiresInSeconds }: Claim, nowMs: number): SignatureVerdict {
  const age = nowMs - parseTime(time);
  if (expiresInSeconds === undefined) {
    return Math.abs(age) <= SKEW_MS_MAX ? undefined : "RequestTimeTooSkewed";
  }
  if (!(expiresInSeconds >= 1 && expiresInSeconds <= WEEK_SECONDS)) {
    return "AuthorizationQueryParametersError";
  }
  return age <= expiresInSeconds * 1_000 && age >= -SKEW_MS_MAX ? undefined : "AccessDenied";
}

/**
 * Checks a request as S3 does, by headers or by query string: key, scope, time, that the host and all `x-amz-` headers are signed,
 * the hash of the body, and the signature, which is computed anew.
 */
export function verifySigV4(
  request: ArrivedRequest,
  keys: SigningKeys,
  nowMs: number,
): SignatureVerdict {
  const query = new URLSearchParams(request.target.split("?", 2)[1] ?? "");
  const claim = readHeaderClaim(request.headers) ?? readQueryClaim(query);
  if (claim === undefined) {
    return "AccessDenied";
  }
  const [accessKeyId, date, region, service, end] = claim.credential;
  if (accessKeyId !== keys.accessKeyId) {
    return "InvalidAccessKeyId";
  }
  if (
    region !== keys.region ||
    service !== "s3" ||
    end !== "aws4_request" ||
    date !== claim.time.slice(0, 8)
  ) {
    return "AuthorizationHeaderMalformed";
  }
  const late = isTimely(claim, nowMs);
  if (late !== undefined) {
    return late;
  }
  const mustBeSigned = [
    "host",
    ...Object.keys(request.headers).filter((name) => name.startsWith("x-amz-")),
  ];
  if (
    !mustBeSigned.every((name) => claim.signedHeaders.includes(name)) ||
    claim.signedHeaders.some((name) => request.headers[name] === undefined)
  ) {
    return "AccessDenied";
  }
  if (claim.payloadHash !== "UNSIGNED-PAYLOAD" && claim.payloadHash !== hash(request.body)) {
    return "XAmzContentSHA256Mismatch";
  }
  const expected = Buffer.from(sign(request, claim, keys.secretAccessKey));
  const given = Buffer.from(claim.signature);
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? undefined
    : "SignatureDoesNotMatch";
}
