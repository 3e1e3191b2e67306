import { AwsV4Signer } from "aws4fetch";

/** The key that signs, by Signature Version 4, and the region that it signs for. */
export type S3Credentials = { region: string; accessKeyId: string; secretAccessKey: string };

export type S3Signing = {
  method: string;
  url: string;
  /** All of them are signed. */
  headers: Readonly<Record<string, string>>;
  now: Date;
};

function toSigner(
  { region, accessKeyId, secretAccessKey }: S3Credentials,
  { method, url, headers, now }: S3Signing,
  signQuery: boolean,
): AwsV4Signer {
  return new AwsV4Signer({
    ...{ method, url, region, accessKeyId, secretAccessKey, signQuery },
    headers: { ...headers },
    service: "s3",
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ""),
    allHeaders: true,
  });
}

/** Signs a request by its headers. @returns All headers to be sent. */
export async function signS3Headers(
  credentials: S3Credentials,
  signing: S3Signing,
): Promise<Record<string, string>> {
  const { headers } = await toSigner(credentials, signing, false).sign();
  return Object.fromEntries(headers);
}

/**
 * Signs an address, which then needs no credential: anyone who has it may make this one request, with exactly these headers.
 *
 * @param expiresInSeconds - 1 to 604,800, from `now`.
 */
export async function signS3Address(
  credentials: S3Credentials,
  { expiresInSeconds, ...signing }: S3Signing & { expiresInSeconds: number },
): Promise<string> {
  const address = new URL(signing.url);
  address.searchParams.set("X-Amz-Expires", String(expiresInSeconds));
  const { url } = await toSigner(credentials, { ...signing, url: address.href }, true).sign();
  return url.href;
}
