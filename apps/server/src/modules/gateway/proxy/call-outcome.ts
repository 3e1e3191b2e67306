import type { ServerResponse } from "node:http";
import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import type { HeaderPair } from "./forward-headers.ts";
import type { Upstream } from "./upstream-router.ts";

/** Why the transport gives up on a call before a status line of the upstream. */
export type TransportFailureCode = Extract<
  ErrorCode,
  | "UPSTREAM_UNREACHABLE"
  | "UPSTREAM_TIMEOUT"
  | "OVERLOADED"
  | "CONCURRENCY_LIMITED"
  | "PAYLOAD_TOO_LARGE"
  | "REQUEST_TIMEOUT"
>;

/** Why a call ends whose rights have ended. */
export type RevokedRights = { code: ErrorCode; status: number; detail: string };

/** Why a call ended without a status line of the upstream. After `CLIENT_ABORTED` no client is left to read it. */
export type ProxyFailureCode = TransportFailureCode | "CLIENT_ABORTED";

/** How a call came out, known before the client has a byte of the answer. */
export type CallOutcome =
  | {
      kind: "status";
      /** The upstream's status, 200 to 599, or 101 for an accepted WebSocket. */
      status: number;
      /** From handing the request to the upstream's connection pool to its status line. */
      upstreamMs: number;
      /** True for a WebSocket and for an answer whose type is an open-ended stream. */
      isStream: boolean;
      /** The cost header as the upstream sent it, unparsed; never reaches the client. */
      cost: string | undefined;
      /** True when a gateway of another cell does not know the key of a call that was forwarded to it. */
      isElsewhere?: boolean | undefined;
    }
  | { kind: "failed"; code: ProxyFailureCode }
  | {
      /** Its rights ended before a status line of the upstream. */
      kind: "cut";
      code: RevokedRights["code"];
      /** True when the upstream had been sent the whole request. */
      isSent: boolean;
    };

export type OutcomeReply =
  | {
      /** Headers to add to the answer; each replaces the upstream's of the same name. */
      headers?: readonly HeaderPair[];
      /** Takes the call over, whose client has nothing yet; the answer is dropped. */
      instead?: () => void;
    }
  | undefined;

/** Bytes of bodies (after an upgrade: of everything), as they passed the gateway. */
export type CallTraffic = { requestBytes: number; responseBytes: number };

export type ProxyProblem = {
  code: ErrorCode;
  status: number;
  /** For the caller; says nothing about the upstream's address. */
  detail: string;
  requestId: string;
  headers: readonly HeaderPair[];
};

/** @param upstream - Where the call would have gone. */
export type RenderProblem = (
  res: ServerResponse,
  problem: ProxyProblem,
  upstream: Pick<Upstream, "tokens">,
) => void;

/** What the caller sees of a failure. */
export const FAILURE_STATUS = {
  UPSTREAM_UNREACHABLE: {
    status: 502,
    detail: "The upstream could not be reached or gave no valid answer.",
  },
  UPSTREAM_TIMEOUT: { status: 504, detail: "The upstream did not answer in time." },
  OVERLOADED: {
    status: 503,
    detail: "Too many calls to this upstream are under way. Try again in a moment.",
  },
  PAYLOAD_TOO_LARGE: { status: 413, detail: "The body is larger than this API accepts." },
  REQUEST_TIMEOUT: { status: 408, detail: "The body came too slowly." },
  CONCURRENCY_LIMITED: {
    status: 429,
    detail:
      "The calls of this account hold its share of this upstream. Try again when one is over.",
  },
} as const satisfies Record<TransportFailureCode, { status: number; detail: string }>;
