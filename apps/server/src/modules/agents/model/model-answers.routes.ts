import { implement } from "@orpc/server";
import {
  type ModelEvent,
  modelAnswersContract,
  modelQuestion,
  modelSwitchContract,
} from "@turnpike/contract/model-answers";
import { tenantId } from "@turnpike/contract/shapes";
import {
  type Actor,
  assertMayInTenant,
  mayInTenant,
  nameSenderIn,
} from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { bearerCredential } from "#http/authenticate.ts";
import type { CallOperation } from "#http/call-operation.ts";
import {
  createStreamSlots,
  HEARTBEAT_TEXT,
  STREAM_DRAIN_MS,
  sendEvents,
  toEventText,
} from "#http/event-stream.ts";
import type { HttpContext } from "#http/http-context.ts";
import { readJson } from "#http/json-body.ts";
import { toAppError } from "#http/problem-details.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import { assertTenantOpen, isTenantOpen, type Queue } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { ReaderTiming } from "#platform/watch-reader.ts";
import { answerWithModel, type ModelDeps } from "./answer-with-model.ts";
import type { ModelSettings } from "./model-settings.ts";
import { streamToReader } from "./stream-to-reader.ts";
import { getModelState, getModelSwitch, setModelSwitch } from "./switch-model.ts";

/** Questions are short. */
const BODY_BYTES_MAX = 64 * 1024;
const HEARTBEAT_MS = 15_000;
/** The time of an answer is bounded by itself. */
const LIFETIME_MS = 60 * 60_000;

export type ModelRawRoutesDeps = ModelDeps & {
  callOperation: CallOperation;
  /** Runs the calls of each sender a few at a time. */
  inTurn: Queue;
  /** Aborted when the process drains. */
  shutdown: AbortSignal;
  changes: Parameters<typeof streamToReader>[0]["changes"];
  /** Finds the holder of a credential, who may have lost a right since the stream was opened. */
  findActor(
    credential: string,
    findAddress: () => string,
  ): Actor | undefined | Promise<Actor | undefined>;
  timing?: Pick<ReaderTiming, "heartbeatMs"> & { drainMs: number };
};

function toText({ kind, ...data }: ModelEvent): string {
  return toEventText({ name: kind, data });
}

/** Which model is asked, and the operator's switch. */
export function createModelRoutes(deps: AppServices & { model: ModelSettings | undefined }) {
  const answers = implement(modelAnswersContract).$context<HttpContext>();
  const ofSwitch = implement(modelSwitchContract).$context<HttpContext>();
  return {
    modelAnswers: answers.router({
      getState: answers.getState.handler(({ input, context }) =>
        getModelState(deps, context.call(), input),
      ),
    }),
    modelSwitch: ofSwitch.router({
      get: ofSwitch.get.handler(({ context }) => getModelSwitch(deps, context.call())),
      set: ofSwitch.set.handler(({ input, context }) =>
        setModelSwitch(deps, context.call(), input),
      ),
    }),
  };
}

/** Serves the answers of a language model as server-sent events. */
export function createModelRawRoutes(deps: ModelRawRoutesDeps): RawRoute[] {
  const slots = createStreamSlots();
  const { heartbeatMs = HEARTBEAT_MS, drainMs = STREAM_DRAIN_MS } = deps.timing ?? {};

  async function findReader({ req, context }: RawCall): Promise<Actor | undefined> {
    return await deps.findActor(bearerCredential(req) ?? "", () => context.clientAddress());
  }

  async function answer(call: RawCall): Promise<void> {
    const { context } = call;
    const who = context.call();
    const parsed = tenantId.safeParse(call.params["tenantId"]);
    if (!parsed.success) {
      throw resourceNotFound("tenant");
    }
    const question = await readJson(call.req, modelQuestion, BODY_BYTES_MAX);
    const asker = {
      context: who,
      tenantId: parsed.data,
      // With the rights of now: they may have ended while the model was thinking.
      callOperation: (id: string, input: unknown) =>
        deps.inTurn(nameSenderIn(who.actor, parsed.data), async () => {
          const actor = await findReader(call);
          if (actor === undefined) {
            throw new AppError({
              code: "UNAUTHENTICATED",
              publicMessage: "The credential is no longer valid.",
            });
          }
          return await deps.callOperation(id, { ...who, actor }, { context, input });
        }),
      explainError: (error: unknown) => {
        const { code, message, errors } = toAppError(error);
        if (code === "INTERNAL_ERROR") {
          context.logger.error({ err: error, requestId: context.requestId }, "A tool failed");
        }
        return { code, message, errors };
      },
    };
    assertMayInTenant(who.actor, "usage:read", parsed.data);
    await assertTenantOpen(deps, parsed.data);
    const release = slots.take(who.actor, parsed.data);
    try {
      const open = await answerWithModel(deps, asker, question);
      const isStillAllowed = async () => {
        const actor = await findReader(call);
        const may = actor !== undefined && mayInTenant(actor, "usage:read", parsed.data);
        return may && (await isTenantOpen(deps, parsed.data));
      };
      await sendEvents(call, {
        shutdown: deps.shutdown,
        drainMs,
        async *open(signal) {
          const reader = { tenantId: parsed.data, actorId: who.actor.id, signal, isStillAllowed };
          const timing = { heartbeatMs, lifetimeMs: LIFETIME_MS };
          for await (const event of streamToReader(deps, reader, { timing, open })) {
            yield event === "heartbeat" ? HEARTBEAT_TEXT : toText(event);
          }
        },
      });
    } finally {
      release();
    }
  }

  return [{ method: "POST", path: "/v1/tenants/{tenantId}/questions/model", handle: answer }];
}
