import type { IncomingMessage } from "node:http";
import { parseTrustedProxies } from "#platform/client-address.ts";
import {
  type CellForwarder,
  createCellForwarder,
  type OtherCells,
} from "../cells/forward-to-cell.ts";
import {
  createProxy,
  type GatewayProxy,
  LIMITS_DEFAULT,
  type ProxyOptions,
} from "../proxy/create-proxy.ts";
import { createUpstreamHealth, type UpstreamHealth } from "../proxy/upstream-health.ts";
import type { UpstreamRouter } from "../proxy/upstream-router.ts";
import { compileTokenRules } from "../tokens/token-rules.ts";
import { createGatewayServer, type GatewayServer } from "./gateway-server.ts";
import { createOwnPages } from "./own-pages.ts";
import { createRefuseCall, createRenderProxyProblem, type RefusalDeps } from "./refuse-call.ts";
import { type Client, createSendCall, type SendCallDeps } from "./send-call.ts";
import { createTakeCall, type TakeCallDeps } from "./take-call.ts";

export type ApiGatewayOptions = {
  router: UpstreamRouter;
  /** CIDRs of the proxies whose forwarded addresses are trusted. */
  trustedProxies: readonly string[];
  /** Names this installation in `Via`, so that a call which comes back is seen. */
  instanceName: string;
  signingSecret: string;
  maxConnections: number;
  /** Address of the plans, shown in denials. */
  plansUrl: string;
  /** Origin of pages of ours that send calls: those of the reference. Left out: there are none. */
  pagesOrigin?: string | undefined;
  /** The other cells, whose keys may be used here. Left out: there are none. */
  cells?: OtherCells | undefined;
  /** Where several threads serve; see {@link ProxyOptions}. */
  shareUpstream?: ProxyOptions["shareUpstream"];
};

export type ApiGatewayDeps = TakeCallDeps & SendCallDeps & RefusalDeps;

export type ApiGateway = {
  server: GatewayServer;
  proxy: GatewayProxy;
  upstreamHealth: UpstreamHealth;
};

/**
 * Makes the listener for programs: gate, key, limits, upstream, metering. A call is recorded at its upstream's status line,
 * before the client has a byte of the answer, and a failure to decide never lets a call through.
 */
export function createApiGateway(deps: ApiGatewayDeps, options: ApiGatewayOptions): ApiGateway {
  const trustedProxies = parseTrustedProxies(options.trustedProxies);
  const { router, instanceName } = options;
  const refuse = createRefuseCall(deps);
  const renderProblem = createRenderProxyProblem(deps);
  const upstreamHealth = createUpstreamHealth({
    upstreams: router.upstreams,
    monotonicMs: deps.clock.monotonicMs,
  });
  const proxy = createProxy({
    upstreams: router.upstreams,
    viaPseudonym: instanceName,
    trustedProxies,
    renderProblem,
    logger: deps.logger,
    clock: deps.clock,
    signingSecret: options.signingSecret,
    shareUpstream: options.shareUpstream,
  });
  const forwarder: CellForwarder | undefined =
    options.cells &&
    createCellForwarder({
      ...deps,
      cells: options.cells,
      viaPseudonym: instanceName,
      trustedProxies,
      renderProblem,
    });
  const sendCall = createSendCall(deps, {
    proxy,
    upstreamHealth,
    tokenDeps: { ...deps, limits: LIMITS_DEFAULT, memory: { held: 0 } },
    refuse,
  });
  const take = createTakeCall(
    deps,
    { ...options, trustedProxies },
    {
      refuse,
      sendCall,
      ownPages: createOwnPages(options.pagesOrigin),
      forwarder,
      rulesOf: new Map(
        router.upstreams.flatMap((upstream) =>
          upstream.tokens === undefined ? [] : [[upstream, compileTokenRules(upstream.tokens)]],
        ),
      ),
    },
  );

  function takeSafely(req: IncomingMessage, client: Client): void {
    try {
      take(req, client);
    } catch (error) {
      refuse(client, deps.newId("request"), error);
    }
  }

  const server = createGatewayServer({
    maxConnections: options.maxConnections,
    takesForwarded: options.cells !== undefined,
    onCall: (req, res) => takeSafely(req, { res, raw: undefined }),
    onUpgrade: (req, res, raw) => takeSafely(req, { res, raw }),
  });
  const proxies: GatewayProxy = {
    ...proxy,
    close: async (graceMs) => {
      await Promise.all([proxy.close(graceMs), forwarder?.close(graceMs)]);
    },
  };
  return { server, proxy: proxies, upstreamHealth };
}
