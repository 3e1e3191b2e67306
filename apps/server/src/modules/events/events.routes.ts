import type { IncomingMessage } from "node:http";
import { implement } from "@orpc/server";
import { EVENTS_BYTES_MAX, type EventReceipt, eventsContract } from "@turnpike/contract/events";
import { nameSender } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { sendHotJson } from "#http/hot-json.ts";
import type { HttpContext } from "#http/http-context.ts";
import { invalidRequest, type RawRoute, readBody } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type PortionBounds, parseJson, parseJsonArray } from "#platform/parse-json.ts";
import { JSON_TYPE } from "./ingest/decode-event-data.ts";
import { createEventShares } from "./ingest/event-shares.ts";
import { readBinaryAttributes } from "./ingest/read-binary-event.ts";
import { assertMayWriteEvents, type TakeEventsDeps, takeEvents } from "./ingest/take-events.ts";
import { listMeterActivity } from "./list-meter-activity.ts";
import { listAllRejectedEvents, listRejectedEvents } from "./list-rejected-events.ts";
import { previewMeter } from "./preview-meter.ts";

export function createEventsRoutes(
  deps: AppServices & {
    inTurn<Result>(sender: string, work: () => Promise<Result>): Promise<Result>;
  },
) {
  const os = implement(eventsContract).$context<HttpContext>();
  return os.router({
    listRejected: os.listRejected.handler(({ input, context }) =>
      listRejectedEvents(deps, context.call(), input),
    ),
    listAllRejected: os.listAllRejected.handler(({ input, context }) =>
      listAllRejectedEvents(deps, context.call(), input),
    ),
    meterActivity: os.meterActivity.handler(({ context }) => {
      const call = context.call();
      return deps.inTurn(nameSender(call.actor), () => listMeterActivity(deps, call));
    }),
    previewMeter: os.previewMeter.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSender(call.actor), () => previewMeter(deps, call, input));
    }),
  });
}

type Mode = "structured" | "batch" | "binary";

function unsupported(message: string): AppError {
  return new AppError({ code: "UNSUPPORTED_MEDIA_TYPE", publicMessage: message });
}

/** @throws {AppError} `UNSUPPORTED_MEDIA_TYPE` if it is not a CloudEvent. */
function readMode({ headers }: IncomingMessage): Mode {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw unsupported("Send the body uncompressed, without Content-Encoding.");
  }
  const type = headers["content-type"]?.trim() ?? "";
  if (/^application\/cloudevents/i.test(type)) {
    if (!JSON_TYPE.test(type)) {
      throw unsupported("Events must be JSON.");
    }
    return /^application\/cloudevents-batch/i.test(type) ? "batch" : "structured";
  }
  if (headers["ce-specversion"] === undefined) {
    throw unsupported(
      "Send application/cloudevents+json, application/cloudevents-batch+json, or ce- headers with the data.",
    );
  }
  return "binary";
}

/** An average event of a full batch has 400 bytes and 20 values: some fifty portions, each within a few milliseconds. */
const PORTION: PortionBounds = { bytes: 256 * 1024, values: 10_000, elements: 1_000 };

async function parseBatch(body: Buffer): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const portion of parseJsonArray(body, PORTION)) {
    if (portion === undefined) {
      throw invalidRequest([{ pointer: "", message: "A batch is an array of events." }]);
    }
    events.push(...portion);
  }
  return events;
}

/** The events of a request, each as parsed JSON. @throws {AppError} `INVALID_REQUEST`. */
async function readValues(
  req: IncomingMessage,
  mode: Mode,
  body: Buffer,
): Promise<readonly unknown[]> {
  if (mode === "binary") {
    const read = readBinaryAttributes(req.headersDistinct);
    if (!read.ok) {
      throw invalidRequest([
        { pointer: "", message: `The header ${read.header.slice(0, 64)} cannot be read.` },
      ]);
    }
    const { attributes } = read;
    const type = req.headers["content-type"] ?? "";
    if (body.length === 0) {
      return [attributes];
    }
    return type === "" || JSON_TYPE.test(type)
      ? [{ ...attributes, data: parseJson(body) }]
      : [{ ...attributes, datacontenttype: type, data_base64: body.toString("base64") }];
  }
  return mode === "structured" ? [parseJson(body)] : await parseBatch(body);
}

const ERRORS_MAX = 50;

/** Refuses a request in which every event was rejected, so that no client takes the answer for a success. */
function assertAnyTaken(receipt: EventReceipt): void {
  const { accepted, duplicates, rejected, results } = receipt;
  if (rejected === 0 || accepted + duplicates > 0) {
    return;
  }
  const first = results[0]?.reason ?? "";
  throw new AppError({
    code: "EVENTS_REJECTED",
    publicMessage:
      rejected === 1
        ? `The event was rejected: ${first}`
        : `All ${String(rejected)} events were rejected, the first of them: ${first}`,
    errors: results
      .slice(0, ERRORS_MAX)
      .map(({ reason = "" }, index) => ({ pointer: `/${String(index)}`, message: reason })),
    extensions: receipt,
  });
}

/** The announced length of the body; undefined if there is none. A body over the limit is refused before it is read. */
function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const announced = Number(headers["content-length"]);
  return Number.isNaN(announced) ? undefined : Math.min(EVENTS_BYTES_MAX, announced);
}

/** `POST /v1/events`: CloudEvents over HTTP, on plain node:http in front of the contract library. */
export function createEventsRawRoutes(deps: TakeEventsDeps): RawRoute[] {
  const shares = createEventShares();

  return [
    {
      method: "POST",
      path: "/v1/events",
      isHot: true,
      handle: async ({ req, res, context }) => {
        const call = context.call();
        // The body is read only for callers who may write events.
        assertMayWriteEvents(call.actor);
        const mode = readMode(req);
        const share = shares.take(nameSender(call.actor), announcedBytes(req));
        let receipt: EventReceipt;
        try {
          const body = await readBody(req, EVENTS_BYTES_MAX, share.ensure);
          receipt = await takeEvents(deps, call, await readValues(req, mode, body));
        } finally {
          share.release();
        }
        assertAnyTaken(receipt);
        const isMinimal = /(?:^|[\s,;])return=minimal(?:$|[\s,;])/i.test(
          String(req.headers["prefer"] ?? ""),
        );
        const shown = isMinimal
          ? { ...receipt, results: receipt.results.filter(({ status }) => status !== "accepted") }
          : receipt;
        sendHotJson(res, {
          status: 200,
          requestId: call.requestId,
          text: JSON.stringify(shown),
          ...(isMinimal && { extra: ["preference-applied", "return=minimal"] }),
        });
      },
    },
  ];
}
