import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { UpstreamPermits } from "../decide/limits/call-permits.ts";
import type { AnswerTap } from "./answer-tap.ts";
import type { CallOutcome, OutcomeReply, RenderProblem } from "./call-outcome.ts";
import type { HeaderPair } from "./forward-headers.ts";
import type { RawConnection } from "./raw-response.ts";
import type { PermitUse, UpstreamPool } from "./upstream-pool.ts";

export type ProxyCallLimits = {
  /** Window of the client's minimum rate, and the longest a client may leave an answer unread. */
  clientIdleMs: number;
  minUploadBytesPerSecond: number;
};

export type ProxyCallInput = {
  req: IncomingMessage;
  res: ServerResponse;
  pool: UpstreamPool;
  permitUse: PermitUse;
  permits?: UpstreamPermits | undefined;
  /** As the upstream gets it. */
  rawTarget: string;
  /** Flat list from `buildForwardHeaders`. */
  headers: string[];
  requestId: string;
  /** Called exactly once for every call. The answer is held until what it returns has settled. */
  onOutcome: (outcome: CallOutcome) => OutcomeReply | Promise<OutcomeReply>;
  extraResponseHeaders: readonly HeaderPair[];
  /** Set for a WebSocket. */
  upgrade: RawConnection | undefined;
  /** The body, when it was read before the call was sent. */
  heldBody?: Buffer | undefined;
  tap?: AnswerTap | undefined;
  limits: ProxyCallLimits;
  costHeaderName: string;
  renderProblem: RenderProblem;
  logger: Logger;
  clock: Clock;
};
