import { verify } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { leakReport } from "@turnpike/contract/leaks";
import { AppError } from "@turnpike/domain/errors/app-error";
import { parseBySchema } from "#http/json-body.ts";
import { type RawCall, type RawRoute, readBody, sendJson } from "#http/raw-route.ts";
import { parseJson } from "#platform/parse-json.ts";
import type { GithubSigningKeys } from "./github-signing-keys.ts";
import { type LeakDeps, receiveLeakReport } from "./receive-leak-report.ts";

export type LeaksRoutesDeps = LeakDeps & { signingKeys: GithubSigningKeys };

/** A thousand tokens with their addresses are a few hundred kilobytes. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Every report takes at least this long, so that timing does not reveal which texts are keys. */
const ANSWER_AFTER_MS = 250;
const IDENTIFIER = /^[\x21-\x7e]{1,200}$/;
const SIGNATURE = /^[A-Za-z0-9+/]{1,200}={0,2}$/;

function unverified(): AppError {
  return new AppError({
    code: "LEAK_REPORT_UNVERIFIED",
    publicMessage: "This request is not signed by GitHub's secret scanning.",
    // The rest of the body is not worth receiving.
    headers: { connection: "close" },
  });
}

function readHeader(req: IncomingMessage, name: string, form: RegExp): string {
  const value = req.headers[name];
  if (typeof value !== "string" || !form.test(value)) {
    throw unverified();
  }
  return value;
}

/** Reads the body and verifies its signature, which is over the exact bytes. */
async function readSigned(deps: LeaksRoutesDeps, req: IncomingMessage): Promise<Buffer> {
  const identifier = readHeader(req, "github-public-key-identifier", IDENTIFIER);
  const signature = readHeader(req, "github-public-key-signature", SIGNATURE);
  const key = await deps.signingKeys.find(identifier);
  if (key === undefined) {
    throw unverified();
  }
  const body = await readBody(req, BODY_BYTES_MAX);
  const bytes = Buffer.from(signature, "base64");
  if (!verify("sha256", body, { key, dsaEncoding: "der" }, bytes)) {
    throw unverified();
  }
  return body;
}

async function receive(deps: LeaksRoutesDeps, { req, res, context }: RawCall): Promise<void> {
  const tokens = parseBySchema(parseJson(await readSigned(deps, req)), leakReport);
  const { requestId } = context;
  const [feedback] = await Promise.all([
    receiveLeakReport(deps, { tokens, requestId }),
    delay(ANSWER_AFTER_MS),
  ]);
  sendJson(res, 200, feedback);
}

/** Takes leak reports by the protocol of GitHub's secret-scanning partners. The signature is the credential. */
export function createLeaksRawRoutes(deps: LeaksRoutesDeps): RawRoute[] {
  return [{ method: "POST", path: "/v1/leaks/github", handle: (call) => receive(deps, call) }];
}
