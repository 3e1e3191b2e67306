import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { type Proposal, proposalsQuery } from "#components/proposals/proposals.queries.ts";
import { WaitingProposals } from "#components/proposals/waiting-proposals.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { toast } from "#platform/toast.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { type ModelState, modelStateKey, modelStateQuery } from "./model.queries.ts";
import {
  type ModelAnswer as Answered,
  describeDifference,
  describeWithheld,
} from "./model-answer.view-model.ts";
import { ModelCalls } from "./model-calls.tsx";
import { type ModelQuestion, useModelAnswer } from "./use-model-answer.ts";

export type ModelAnswerProps = { tenant: OwnTenant; question: ModelQuestion };

/** The language model behind the built-in answer. Without one nothing is shown; it is asked only by its button. */
export function ModelAnswer({ tenant, question }: ModelAnswerProps) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const { data: model } = useQuery(modelStateQuery(api, tenant.tenantId));
  if (model === undefined || model === null || !(model.isOn || user.isOperator)) {
    return null;
  }
  return (
    <section aria-label={t`Language model`} className="border-line border-t pt-4">
      {model.isOn ? (
        <Asking tenant={tenant} question={question} model={model} />
      ) : (
        <p className="text-ink-muted text-sm">
          <Trans>The language model is switched off.</Trans>
        </p>
      )}
      {user.isOperator && <Switch isOn={model.isOn} />}
    </section>
  );
}

function Asking({ tenant, question, model }: ModelAnswerProps & { model: ModelState }) {
  const { state, answer, failure, ask, stop } = useModelAnswer(tenant, question);
  const isRunning = state === "running";
  const isSpent = model.tokensUsed >= model.tokensPerDay;
  return (
    <div className="space-y-3" aria-busy={isRunning}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isRunning ? (
          <Button onClick={stop}>
            <Trans>Stop</Trans>
          </Button>
        ) : (
          <Button onClick={ask} disabled={isSpent}>
            {state === "idle" ? t`Ask ${model.name} as well` : t`Ask ${model.name} again`}
          </Button>
        )}
        <p className="min-w-0 grow basis-64 text-ink-muted text-xs [overflow-wrap:anywhere]">
          {isSpent
            ? t`The language model's tokens of today are used up; there are new ones at midnight UTC.`
            : t`Sends the question, and the figures that it looks up with the names of routes, keys and meters, to ${model.host}. E-mail addresses, texts of keys and customers' details are left out.`}
        </p>
      </div>
      {state !== "idle" && <Written answer={answer} isRunning={isRunning} />}
      {answer.calls.length > 0 && <ModelCalls calls={answer.calls} />}
      <Notes answer={answer} />
      {answer.proposals.length > 0 && <Proposals tenant={tenant} proposals={answer.proposals} />}
      {state === "stopped" && (
        <p className="text-ink-muted text-sm">
          <Trans>Stopped. The built-in answer stands.</Trans>
        </p>
      )}
      {failure !== undefined && (
        <p role="alert" className="text-danger text-sm">
          <Trans>{failure} The built-in answer stands.</Trans>
        </p>
      )}
    </div>
  );
}

/** The text, as text: it may repeat what strangers wrote. */
function Written({ answer, isRunning }: { answer: Answered; isRunning: boolean }) {
  if (answer.pieces.length === 0) {
    return isRunning ? (
      <p className="text-ink-muted text-sm">
        <Trans>Thinking…</Trans>
      </p>
    ) : null;
  }
  return (
    <p className="max-w-[72ch] whitespace-pre-wrap [overflow-wrap:anywhere]">
      {answer.pieces.map(({ id, text }) =>
        text === undefined ? (
          <span
            key={id}
            className="whitespace-nowrap rounded-sm border border-line border-dashed px-1 text-ink-muted text-xs"
          >
            <Trans>number withheld</Trans>
          </span>
        ) : (
          <span key={id}>{text}</span>
        ),
      )}
    </p>
  );
}

/** What the product says about the answer. */
function Notes({ answer: { differences = [], end } }: { answer: Answered }) {
  const withheld = describeWithheld(end?.withheld ?? 0);
  return (
    <>
      {differences.length > 0 && (
        <div className="rounded-card bg-warning-soft px-3 py-2 text-sm">
          <p>
            <Trans>The model asked for something else than the built-in answer did:</Trans>
          </p>
          <ul className="mt-1 list-inside list-disc text-ink-muted [overflow-wrap:anywhere]">
            {differences.map((difference) => (
              <li key={difference.part}>{describeDifference(difference)}</li>
            ))}
          </ul>
        </div>
      )}
      {withheld !== undefined && <p className="text-ink-muted text-sm">{withheld}</p>}
      {end?.sentence !== null && end !== undefined && (
        <p role="status" className="text-sm">
          {inLanguage(end.sentence)}
        </p>
      )}
    </>
  );
}

function Proposals({ tenant, proposals }: { tenant: OwnTenant; proposals: readonly Proposal[] }) {
  const { api } = usePlatform();
  // Decided on here or elsewhere: the list of the tenant knows.
  const known = useQuery(proposalsQuery(api, tenant.tenantId));
  const waiting = proposals.filter(
    ({ proposalId }) =>
      (known.data?.find((each) => each.proposalId === proposalId)?.state ?? "open") === "open",
  );
  return <WaitingProposals tenant={tenant} proposals={waiting} label={t`Proposed by the model`} />;
}

/** The operator's switch, for all tenants. */
function Switch({ isOn }: { isOn: boolean }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const turn = useMutation({
    mutationFn: () => api.modelSwitch.set({ isOn: !isOn }),
    onSuccess: () =>
      void toast.success(isOn ? t`Off, for all tenants at once` : t`On, for all tenants`),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: modelStateKey() }),
  });
  return (
    <Button
      size="small"
      look="quiet"
      progress={turn.isPending ? t`Switching…` : undefined}
      onClick={() => turn.mutate()}
    >
      {isOn ? t`Switch the model off for all tenants` : t`Switch it on`}
    </Button>
  );
}
