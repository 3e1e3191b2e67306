import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { SAMPLE_PATH_PATTERN } from "@turnpike/domain/routes/sample-path";
import { CodeTabs } from "@turnpike/ui/code-tabs";
import { Skeleton } from "@turnpike/ui/skeleton";
import { TextField } from "@turnpike/ui/text-field";
import { useState } from "react";
import { toCodeSamples } from "#components/code-samples.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { pageContentQuery } from "#platform/page-content.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { StepState } from "./quickstart.view-model.ts";

export type CallStepProps = { state: StepState; shownKey: string | undefined };

/** The call to make, in the person's own language, with their own key while it can be shown. */
export function CallStep({ state, shownKey }: CallStepProps) {
  const { config } = usePlatform();
  const [language, setLanguage] = useState("curl");
  const [typedPath, setTypedPath] = useState<string>();
  const content = useQuery(pageContentQuery("landing"));
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
  if (content.data === undefined) {
    return <Skeleton className="h-32 w-full rounded-control" />;
  }
  const path = typedPath ?? content.data.samplePath;
  const isPath = SAMPLE_PATH_PATTERN.test(path);
  const samples = toCodeSamples(
    config.urls.gateway,
    isPath ? path : content.data.samplePath,
    shownKey,
  );
  return (
    <>
      <p className="text-ink-muted">
        {shownKey === undefined
          ? t`Replace YOUR_KEY with your API key. It was shown when it was created.`
          : t`Your key is already in the samples.`}
      </p>
      <TextField
        label={t`Path to call`}
        value={path}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        help={t`Any GET of the API that needs no body.`}
        error={isPath ? undefined : t`Begin with a slash: /v1/cities?query=ber`}
        onChange={(event) => setTypedPath(event.currentTarget.value)}
      />
      <CodeTabs
        subject={t`First call`}
        value={language}
        onValueChange={setLanguage}
        snippets={samples.map(({ id, label, code, note }) => ({ id, language: label, code, note }))}
      />
    </>
  );
}
