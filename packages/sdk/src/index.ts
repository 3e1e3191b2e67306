export type { GivenUp } from "./catch-up.ts";
export {
  createTurnpike,
  type Turnpike,
  type TurnpikeOptions,
  type VerifyOptions,
} from "./create-turnpike.ts";
export { TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";
export type { Caller, RoutePolicy } from "./guard-call.ts";
export type { Exposure } from "./outage.ts";
export type { Runtime } from "./runtime.ts";
export type {
  DenialCode,
  LimitState,
  Lock,
  VerdictCode,
  Verification,
  VerifyRequest,
} from "./verification.ts";
