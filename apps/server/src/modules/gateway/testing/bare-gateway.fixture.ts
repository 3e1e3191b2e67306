import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { parseTrustedProxies } from "#platform/client-address.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { createGatewayServer, type GatewayServerOptions } from "../listener/gateway-server.ts";
import {
  AMBIGUOUS_PATH_REFUSAL,
  type GateRefusal,
  inspectRequest,
} from "../listener/request-gate.ts";
import type {
  CallOutcome,
  CallTraffic,
  OutcomeReply,
  ProxyProblem,
} from "../proxy/call-outcome.ts";
import {
  createProxy,
  type ForwardedCall,
  type GatewayProxy,
  type ProxyOptions,
} from "../proxy/create-proxy.ts";
import type { HeaderPair } from "../proxy/forward-headers.ts";
import {
  createUpstreamRouter,
  pickUpstream,
  type UpstreamConfig,
} from "../proxy/upstream-router.ts";

export type BareGatewayOptions = {
  upstreams: readonly (Pick<UpstreamConfig, "name" | "url"> & Partial<UpstreamConfig>)[];
  trustedProxies?: readonly string[];
  signingSecret?: string;
  identityHeaders?: readonly HeaderPair[];
  limits?: ProxyOptions["limits"];
  server?: Partial<GatewayServerOptions>;
  /** Delays every call until it settles, as a decision that asks the database does. */
  decide?: () => Promise<void>;
  onOutcome?: (outcome: CallOutcome) => OutcomeReply | Promise<OutcomeReply>;
};

export type BareGateway = {
  port: number;
  server: Server;
  proxy: GatewayProxy;
  /** Of every call that passed the gate, in the order they became known. */
  outcomes: CallOutcome[];
  /** Of every call that is over. */
  traffic: CallTraffic[];
  close(): Promise<void>;
};

const VIA_PSEUDONYM = "turnpike-bare";

/**
 * Starts the transport of the gateway alone, on a free loopback port: gate, router and proxy, without keys, limits or
 * ledger, for tests of the transport.
 */
export async function startBareGateway(options: BareGatewayOptions): Promise<BareGateway> {
  const router = createUpstreamRouter(
    options.upstreams.map((upstream) => ({
      timeouts: { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 },
      maxRequestBytes: 10_000_000,
      preserveHost: false,
      // All calls are of one tenant here.
      tenantSharePercent: 100,
      ...upstream,
    })),
  );
  const proxy = createProxy({
    upstreams: router.upstreams,
    viaPseudonym: VIA_PSEUDONYM,
    trustedProxies: parseTrustedProxies(options.trustedProxies ?? []),
    renderProblem: renderPlainProblem,
    logger: createLogger({ level: "silent" }),
    clock: systemClock,
    signingSecret: options.signingSecret,
    limits: options.limits,
  });
  const outcomes: CallOutcome[] = [];
  const traffic: CallTraffic[] = [];
  let calls = 0;

  /** The same for calls and upgrades: what to forward, or why not. */
  function decide(req: IncomingMessage): ForwardedCall | GateRefusal {
    const refusal = inspectRequest(req, {
      keyHeaderNames: ["x-api-key"],
      viaPseudonym: VIA_PSEUDONYM,
    });
    if (refusal !== undefined) {
      return refusal;
    }
    const choice = pickUpstream(router, {
      host: req.headers.host ?? "",
      rawTarget: req.url ?? "/",
    });
    if (choice.kind !== "found") {
      return AMBIGUOUS_PATH_REFUSAL;
    }
    calls += 1;
    return {
      req,
      upstream: choice.upstream,
      permitUse: { tenantId: "ten_bare" },
      rawTarget: choice.rawTarget,
      keyHeaderNames: ["authorization", "x-api-key"],
      identityHeaders: options.identityHeaders ?? [],
      requestId: `req_${calls}`,
      onOutcome: (outcome) => {
        outcomes.push(outcome);
        return options.onOutcome?.(outcome);
      },
    };
  }

  const gateway = createGatewayServer({
    ...options.server,
    onCall(req, res) {
      const call = decide(req);
      if ("reason" in call) {
        refuse(res, call);
        return;
      }
      const forward = async (): Promise<void> => {
        await options.decide?.();
        traffic.push(await proxy.forward({ ...call, res }).finished);
      };
      void forward();
    },
    onUpgrade(req, res, raw) {
      const call = decide(req);
      if ("reason" in call) {
        refuse(res, call);
      } else {
        void proxy.upgrade({ ...call, res, raw }).finished.then((bytes) => traffic.push(bytes));
      }
    },
  });
  const { port } = await gateway.listen({ port: 0, host: "127.0.0.1" });
  return {
    port,
    server: gateway.server,
    proxy,
    outcomes,
    traffic,
    async close() {
      const closing = gateway.close(100);
      await proxy.close(100);
      await closing;
    },
  };
}

function refuse(res: ServerResponse, { code, status, reason }: GateRefusal): void {
  renderPlainProblem(res, {
    code,
    status,
    detail: reason,
    requestId: "",
    headers: [["Connection", "close"]],
  });
}

function renderPlainProblem(
  res: ServerResponse,
  { code, status, detail, headers }: ProxyProblem,
): void {
  const body = JSON.stringify({ type: "about:blank", status, code, detail });
  const length = String(Buffer.byteLength(body));
  res.writeHead(status, [
    ...["Content-Type", "application/problem+json", "Content-Length", length],
    ...headers.flat(),
  ]);
  res.end(body);
}
