import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { hashKey } from "#modules/keys/index.ts";
import type { TrustedProxies } from "#platform/client-address.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { RenderProblem } from "../proxy/call-outcome.ts";
import {
  createProxy,
  type ForwardedCall,
  type GatewayProxy,
  type SentCall,
} from "../proxy/create-proxy.ts";
import { findCallOrigin, type HeaderPair, isForwardingHeader } from "../proxy/forward-headers.ts";
import type { RawConnection } from "../proxy/raw-response.ts";
import { createUpstreamRouter, type Upstream } from "../proxy/upstream-router.ts";
import { MARKER_HEADER, writeMarker } from "./forwarding-marker.ts";

/** Where a key lives that this cell does not know. */
export type CellOfKey = {
  tenantId: TenantId;
  cell: string;
  state: "here" | "moving";
  version: number;
  /** Origin of its gateway for other cells; null while it is not known. */
  address: string | null;
};

/** The other cells, as the gateway needs them. */
export type OtherCells = {
  /** Name of this cell. */
  cell: string;
  /** Signs what is forwarded. */
  markerKey: Buffer;
  /** @returns Null for a key that no cell has. @throws {AppError} `DIRECTORY_UNAVAILABLE`, `OVERLOADED`. */
  find(hash: string): Promise<CellOfKey | null>;
  /** Forgets where a tenant lives. */
  forget(tenantId: TenantId): void;
};

/** A call with a key that this cell does not know. */
export type ForeignCall = {
  req: IncomingMessage;
  res: ServerResponse;
  /** Set for a WebSocket handshake. */
  raw: RawConnection | undefined;
  keyText: string;
  /** What would serve it here: its limits hold for the way to the other cell too. */
  upstream: Upstream;
  requestId: string;
  extraResponseHeaders: readonly HeaderPair[];
  /** No cell has the key. */
  onUnknown: () => void;
  /** The directory says that the tenant of the key lives here. */
  onHere: (place: CellOfKey) => void;
  onError: (error: unknown) => void;
};

export type CellForwarder = {
  /** Finds the cell of the key and sends the call there, or calls one of its listeners. */
  forward(call: ForeignCall): void;
  close(graceMs: number): Promise<void>;
};

/** The other gateway gives up first, and says why. */
const LATER_MS = 5_000;
/** Cells times upstreams; an address that changed leaves one behind. */
const PROXIES_MAX = 1_000;

function tenantMoving(): AppError {
  return new AppError({
    code: "TENANT_MOVING",
    publicMessage: "The account of this API key is being moved. Try again in a moment.",
    // A body that was begun is not read to its end.
    headers: { "retry-after": "2", connection: "close" },
  });
}

/** Sends calls with keys of other cells there, where they are decided and metered. Nothing of them is recorded here. */
export function createCellForwarder(deps: {
  cells: OtherCells;
  viaPseudonym: string;
  trustedProxies: TrustedProxies;
  renderProblem: RenderProblem;
  clock: Clock;
  logger: Logger;
}): CellForwarder {
  const { cells, clock, trustedProxies } = deps;
  const proxies = new Map<string, { proxy: GatewayProxy; upstream: Upstream }>();

  /** The connections to a cell for the calls of one upstream, which have its limits. */
  function proxyTo(address: string, cell: string, like: Upstream) {
    const name = `${like.name} ${address}`;
    const known = proxies.get(name);
    if (known !== undefined) {
      return known;
    }
    if (proxies.size >= PROXIES_MAX) {
      throw new AppError({ code: "OVERLOADED", publicMessage: "Too many cells are in use." });
    }
    const [upstream] = createUpstreamRouter([
      {
        name: `cell ${cell}`,
        url: address,
        timeouts: {
          ...like.timeouts,
          headersMs: like.timeouts.headersMs + LATER_MS,
          idleMs: like.timeouts.idleMs + LATER_MS,
        },
        maxRequestBytes: like.maxRequestBytes,
        maxConcurrent: like.maxConcurrent,
        tenantSharePercent: like.tenantSharePercent,
        tokens: like.tokens,
        preserveHost: false,
      },
    ]).upstreams;
    if (upstream === undefined) {
      throw new RangeError(`No upstream was made for ${name}.`);
    }
    const proxy = createProxy({ ...deps, upstreams: [upstream], signingSecret: undefined });
    const made = { proxy, upstream };
    proxies.set(name, made);
    return made;
  }

  function toMarker({ req, keyText, requestId }: ForeignCall, to: string): HeaderPair {
    const { clientAddress, peerAddress, isPeerTrusted } = findCallOrigin(req, trustedProxies);
    const facts = {
      from: cells.cell,
      to,
      requestId,
      sentAt: Math.floor(clock.now().getTime() / 1_000),
      client: clientAddress,
      peer: peerAddress,
      isPeerTrusted,
      host: req.headers.host ?? "",
      kept: listKept(req, isPeerTrusted),
    };
    const marked = { method: req.method ?? "GET", rawTarget: req.url ?? "/", keyText };
    return [MARKER_HEADER, writeMarker(cells.markerKey, facts, marked)];
  }

  /** @throws {AppError} `TENANT_MOVING`, `DIRECTORY_UNAVAILABLE`, `OVERLOADED`; then nothing was sent. */
  function send(call: ForeignCall, place: CellOfKey, earlier: CellOfKey | undefined): void {
    const { res, raw } = call;
    if (place.address === null) {
      throw new AppError({
        code: "DIRECTORY_UNAVAILABLE",
        publicMessage: "The address of the cell of this API key is not known right now.",
        headers: { "retry-after": "2" },
      });
    }
    const { proxy, upstream } = proxyTo(place.address, place.cell, call.upstream);
    let underWay: SentCall | undefined;
    const forwarded: ForwardedCall = {
      req: call.req,
      upstream,
      rawTarget: call.req.url ?? "/",
      permitUse: { tenantId: place.tenantId },
      keyHeaderNames: [],
      identityHeaders: [toMarker(call, place.cell)],
      requestId: call.requestId,
      extraResponseHeaders: call.extraResponseHeaders,
      onOutcome: (outcome) =>
        outcome.kind === "status" && outcome.isElsewhere === true
          ? // Later, because the connection to the other cell is in the middle of its answer.
            Promise.resolve({
              instead: () => {
                const isUntouched = underWay?.hasTakenBody === false;
                void lookAgain(call, { place, earlier, isUntouched }).catch(call.onError);
              },
            })
          : undefined,
    };
    underWay =
      raw === undefined
        ? proxy.forward({ ...forwarded, res })
        : proxy.upgrade({ ...forwarded, res, raw });
  }

  /** A cell does not have the key: its tenant has moved, or the directory has an entry too many. */
  async function lookAgain(
    call: ForeignCall,
    seen: { place: CellOfKey; earlier: CellOfKey | undefined; isUntouched: boolean },
  ): Promise<void> {
    const { place, earlier, isUntouched } = seen;
    cells.forget(place.tenantId);
    const now = await cells.find(hashKey(call.keyText));
    if (now === null || (now.cell === place.cell && now.version === place.version)) {
      call.onUnknown();
    } else if (!isUntouched || earlier !== undefined) {
      // What was read of the body is gone.
      throw tenantMoving();
    } else if (!call.res.closed) {
      go(call, now, place);
    }
  }

  function go(call: ForeignCall, place: CellOfKey | null, earlier?: CellOfKey): void {
    if (place === null) {
      call.onUnknown();
    } else if (place.state === "moving") {
      // In neither cell, once its rows are on their way.
      throw tenantMoving();
    } else if (place.cell === cells.cell) {
      // One that never moved is not here when its key was not made after all.
      const listener = place.version > 1 ? call.onHere : call.onUnknown;
      listener(place);
    } else {
      send(call, place, earlier);
    }
  }

  return {
    forward(call) {
      cells
        .find(hashKey(call.keyText))
        .then((place) => go(call, place))
        .catch(call.onError);
    },
    async close(graceMs) {
      await Promise.all([...proxies.values()].map(({ proxy }) => proxy.close(graceMs)));
    },
  };
}

/** What the other cell puts back: headers that the way between the cells may change. */
function listKept({ rawHeaders }: IncomingMessage, isPeerTrusted: boolean): HeaderPair[] {
  const kept: HeaderPair[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    const lowerCase = name.toLowerCase();
    if (lowerCase === "via" || (isPeerTrusted && isForwardingHeader(lowerCase))) {
      kept.push([name, value]);
    }
  }
  return kept;
}
