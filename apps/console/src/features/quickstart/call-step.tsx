import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { SAMPLE_PATH_PATTERN } from "@turnpike/domain/routes/sample-path";
import { CodeTabs } from "@turnpike/ui/code-tabs";
import { Skeleton } from "@turnpike/ui/skeleton";
import { TextField } from "@turnpike/ui/text-field";
import { useState } from "react";
import { type SampleCall, toCodeSamples, toGet } from "#components/code-samples.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { pageContentQuery } from "#platform/page-content.ts";
import { usePlatform } from "#platform/platform.tsx";
import { CallChoice } from "./call-choice.tsx";
import { type CallName, quickstartQueries } from "./quickstart.queries.ts";
import type { StepState } from "./quickstart.view-model.ts";

export type CallStepProps = { state: StepState; shownKey: string | undefined };

/** The call to make, in the person's own language, with their own key while it can be shown. */
export function CallStep({ state, shownKey }: CallStepProps) {
  const { api, config } = usePlatform();
  const content = useQuery(pageContentQuery("landing"));
  const calls = useQuery({
    ...quickstartQueries.documentedCalls(api),
    enabled: config.reference !== null && state !== "waiting",
  });
  const [chosen, setChosen] = useState<CallName>();
  const sample = useQuery(quickstartQueries.sampleCall(api, chosen));
  const [language, setLanguage] = useState("curl");
  if (state === "waiting") {
    return (
      <p className="text-ink-muted">
        <Trans>From a terminal or from your program.</Trans>
      </p>
    );
  }
  if (content.isError) {
    return (
      <FailureNotice
        what={t`The samples could not be loaded.`}
        cause={content.error}
        onRetry={() => void content.refetch()}
      />
    );
  }
  if (content.data === undefined || calls.isLoading) {
    return <Skeleton className="h-32 w-full rounded-control" />;
  }
  const suggested = toGet(content.data.samplePath);
  const call = chosen === undefined ? suggested : sample.data;
  return (
    <>
      <p className="text-ink-muted">
        {shownKey === undefined
          ? t`Replace YOUR_KEY with your API key. It was shown when it was created.`
          : t`Your key is already in the samples.`}
      </p>
      {calls.isError && (
        <FailureNotice
          what={t`The calls of this API could not be loaded.`}
          cause={calls.error}
          onRetry={() => void calls.refetch()}
        />
      )}
      {calls.data !== undefined && calls.data.length > 0 && (
        <CallChoice
          calls={calls.data}
          suggested={suggested.target}
          chosen={chosen}
          onChoose={setChosen}
        />
      )}
      {sample.isError && chosen !== undefined && (
        <FailureNotice
          what={t`The sample of this call could not be loaded.`}
          cause={sample.error}
          onRetry={() => void sample.refetch()}
        />
      )}
      {call === undefined && sample.isPending && (
        <Skeleton className="h-32 w-full rounded-control" />
      )}
      {call !== undefined && (
        <Samples
          key={`${call.method} ${call.target}`}
          call={call}
          help={
            chosen === undefined
              ? t`Any GET of the API that needs no body.`
              : t`Put in the values that you want to send.`
          }
          shownKey={shownKey}
          language={language}
          onLanguage={setLanguage}
        />
      )}
    </>
  );
}

type SamplesProps = {
  call: SampleCall;
  /** About the path. */
  help: string;
  shownKey: string | undefined;
  language: string;
  onLanguage: (id: string) => void;
};

/** The call in several languages, with a path that can be changed. */
function Samples({ call, help, shownKey, language, onLanguage }: SamplesProps) {
  const { config } = usePlatform();
  const [typedPath, setTypedPath] = useState<string>();
  const path = typedPath ?? call.target;
  const isPath = SAMPLE_PATH_PATTERN.test(path);
  const shown = isPath ? { ...call, target: path } : call;
  const samples = toCodeSamples(config.urls.gateway, shown, shownKey);
  return (
    <>
      <TextField
        label={t`Path to call`}
        value={path}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        help={help}
        error={isPath ? undefined : t`Begin with a slash: /v1/cities?query=ber`}
        onChange={(event) => setTypedPath(event.currentTarget.value)}
      />
      <CodeTabs
        subject={t`First call`}
        value={language}
        onValueChange={onLanguage}
        snippets={samples.map(({ id, label, code, note }) => ({ id, language: label, code, note }))}
      />
    </>
  );
}
