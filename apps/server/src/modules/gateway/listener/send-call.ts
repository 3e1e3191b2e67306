import type { ServerResponse } from "node:http";
import type { MeteredCall } from "#modules/metering/index.ts";
import type { Clock } from "#platform/clock.ts";
import type { CalledUpstream, CallToDecide } from "../decide/call-to-decide.ts";
import type { Admission } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { CallPermits } from "../decide/limits/call-permits.ts";
import { NO_IDENTITY, toIdentityHeaders } from "../identity-headers.ts";
import { toLimitHeaders } from "../limit-headers.ts";
import { measureCall } from "../measure-call.ts";
import {
  type CallOutcome,
  type CallTraffic,
  FAILURE_STATUS,
  type OutcomeReply,
} from "../proxy/call-outcome.ts";
import type { ForwardedCall, GatewayProxy, SentCall } from "../proxy/create-proxy.ts";
import type { RawConnection } from "../proxy/raw-response.ts";
import type { UpstreamHealth } from "../proxy/upstream-health.ts";
import type { AdmittedOutcome, CallRecorder, CallTarget, WhenDurable } from "../record-call.ts";
import { type AdmitTokensDeps, admitTokens } from "../tokens/admit-tokens.ts";
import type { TokenCall } from "../tokens/token-call.ts";
import type { TokenRoute, TokenRules } from "../tokens/token-rules.ts";
import type { OpenCall, OpenCalls } from "./open-calls.ts";
import { type RefuseCall, refuseWith } from "./refuse-call.ts";

/** The client's side of a call; `raw` is set for a WebSocket handshake. */
export type Client = { res: ServerResponse; raw: RawConnection | undefined };

/** A call whose upstream is known. */
export type RoutedCall = Omit<
  ForwardedCall,
  "onOutcome" | "identityHeaders" | "permitUse" | "permits"
>;

/** What is needed to meter a call that was admitted. */
export type CallMetering = {
  admission: Admission;
  target: CallTarget;
  startedAtMs: number;
  findAddress: OpenCall["findAddress"];
  decided: "at-once" | "waited";
  tokens?: TokenCall | undefined;
};

/** The same for a call whose upstream answers with tokens, which are decided on once its body is read. */
export type TokenMetering = Omit<CallMetering, "tokens" | "decided"> & {
  rules: TokenRules;
  route: TokenRoute;
  decision: Omit<CallToDecide, "meterId" | "cost">;
  deny: (denial: Denial, model?: string) => void;
};

export type SendCallDeps = {
  callRecorder: CallRecorder;
  openCalls: Pick<OpenCalls, "add" | "delete">;
  whenDurable?: WhenDurable;
  /** Takes the permits of a preflight at its upstream in the cluster. Left out: this process alone decides. */
  takePreflight?: ((upstream: CalledUpstream) => Promise<CallPermits>) | undefined;
  clock: Clock;
};

/**
 * A customer can end the rights of its own key, so what the upstream is working on is billed: else it could be had free. A
 * gateway that is out of touch is no doing of the customer.
 */
function toAdmittedOutcome(outcome: CallOutcome): AdmittedOutcome {
  return outcome.kind === "status"
    ? { kind: "status", status: outcome.status }
    : {
        kind: "failed",
        code: outcome.code,
        isBilled: outcome.kind === "cut" && outcome.isSent && outcome.code !== "LIMITS_UNAVAILABLE",
      };
}

/** Sends calls to their upstreams, and gives back what they hold when they are over. */
export function createSendCall(
  deps: SendCallDeps,
  parts: {
    proxy: GatewayProxy;
    upstreamHealth: UpstreamHealth;
    tokenDeps: AdmitTokensDeps;
    refuse: RefuseCall;
  },
) {
  const { proxy, upstreamHealth, tokenDeps, refuse } = parts;

  function send({ res, raw }: Client, call: ForwardedCall): SentCall {
    const onOutcome = (outcome: CallOutcome) => {
      upstreamHealth.record(call.upstream, outcome);
      return call.onOutcome(outcome);
    };
    return raw === undefined
      ? proxy.forward({ ...call, res, onOutcome })
      : proxy.upgrade({ ...call, res, raw, onOutcome });
  }

  /** A preflight needs no key: only its upstream's permits bound it. */
  function sendPreflight(client: Client, call: RoutedCall): void {
    const sendWith = (permits: CallPermits | undefined) =>
      send(client, {
        ...call,
        permitUse: "preflight",
        permits,
        identityHeaders: NO_IDENTITY,
        onOutcome: () => undefined,
      });
    if (deps.takePreflight === undefined) {
      sendWith(undefined);
      return;
    }
    void deps
      .takePreflight(call.upstream)
      .then(async (permits) => {
        try {
          await sendWith(permits).finished;
        } finally {
          permits.release();
        }
      })
      .catch((error: unknown) => refuse(client, call.requestId, error));
  }

  /** Sends an admitted call, records its outcome before the client has a byte, and its measurements when it is over. */
  function sendMetered(client: Client, call: RoutedCall, metering: CallMetering): void {
    const { admission, target, startedAtMs, findAddress, decided, tokens } = metering;
    let recordedCall: { call: MeteredCall; outcome: CallOutcome; outcomeAtMs: number } | undefined;
    let isRecorded = false;
    const onOutcome = (outcome: CallOutcome): OutcomeReply | Promise<OutcomeReply> => {
      isRecorded = true;
      const recorded = toAdmittedOutcome(outcome);
      if (recorded.kind === "failed" && recorded.isBilled) {
        tokens?.startUnanswered();
      }
      recordedCall = {
        call: deps.callRecorder.recordAdmitted(admission, target, recorded),
        outcome,
        outcomeAtMs: deps.clock.monotonicMs(),
      };
      return deps.whenDurable?.().then(() => undefined);
    };
    const onEnd = (traffic: CallTraffic): void => {
      if (recordedCall !== undefined) {
        const times = {
          startedAtMs,
          outcomeAtMs: recordedCall.outcomeAtMs,
          endedAtMs: deps.clock.monotonicMs(),
        };
        deps.callRecorder.recordMeasure(recordedCall.call, {
          ...measureCall(recordedCall.outcome, times, traffic),
          tokens: tokens?.billed,
        });
      }
    };
    try {
      const nowMs = deps.clock.now().getTime();
      const sent = send(client, {
        ...call,
        tap: tokens,
        permitUse: admission.tenant,
        permits: admission.permits,
        identityHeaders: toIdentityHeaders(admission),
        extraResponseHeaders: [
          ...(call.extraResponseHeaders ?? []),
          ...toLimitHeaders(admission.limits, nowMs),
        ],
        onOutcome,
      });
      const openCall: OpenCall = { requestId: call.requestId, admission, findAddress, sent };
      deps.openCalls.add(openCall, decided);
      void sent.finished.then((traffic) => {
        deps.openCalls.delete(openCall);
        admission.permits?.release();
        onEnd(traffic);
      });
    } catch (error) {
      admission.permits?.release();
      tokens?.end(false);
      if (!isRecorded) {
        deps.callRecorder.abandon(admission);
      }
      throw error;
    }
  }

  /** Reads what a call asks for, takes what it may cost, and sends it. Without a way on, everything that it took goes back. */
  async function sendWithTokens(
    client: Client,
    call: RoutedCall,
    metering: TokenMetering,
  ): Promise<void> {
    const { admission, target, rules, route, decision, deny } = metering;
    let isEnded = false;
    try {
      if (client.raw !== undefined) {
        throw refuseWith("METHOD_NOT_ALLOWED", "This path cannot be used with a WebSocket.");
      }
      const { req, requestId } = call;
      const admitted = await admitTokens(tokenDeps, {
        req,
        res: client.res,
        requestId,
        rules,
        route,
        admission,
        decision,
        target,
      });
      if (admitted.kind === "denied") {
        deny(admitted.denial, admitted.model);
      } else if (admitted.kind === "admitted") {
        isEnded = true;
        const { body: heldBody, tap, release } = admitted;
        if (client.res.closed) {
          // Its client left while it was decided; no event follows.
          release();
        } else {
          client.res.once("close", release);
        }
        sendMetered(
          client,
          { ...call, heldBody },
          { ...metering, target: { ...target, model: tap.model }, tokens: tap, decided: "waited" },
        );
      } else {
        isEnded = true;
        admission.permits?.release();
        const { code } = admitted;
        deps.callRecorder.recordUnsent(admission, target, code);
        if (code !== "CLIENT_ABORTED") {
          throw refuseWith(code, FAILURE_STATUS[code].detail, { connection: "close" });
        }
      }
    } finally {
      if (!isEnded) {
        admission.permits?.release();
        deps.callRecorder.abandon(admission);
      }
    }
  }

  return { sendPreflight, sendMetered, sendWithTokens };
}

export type SendCall = ReturnType<typeof createSendCall>;
