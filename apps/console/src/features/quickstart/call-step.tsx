import { useQuery } from "@tanstack/react-query";
import { CodeTabs } from "@turnpike/ui/code-tabs";
import { Skeleton } from "@turnpike/ui/skeleton";
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
  const content = useQuery(pageContentQuery("landing"));
  if (state === "waiting") {
    return <p className="text-ink-muted">From a terminal or from your program.</p>;
  }
  if (content.isError) {
    return (
      <FailureNotice
        what="The samples could not be loaded."
        cause={content.error}
        onRetry={() => void content.refetch()}
      />
    );
  }
  if (content.data === undefined) {
    return <Skeleton className="h-32 w-full rounded-control" />;
  }
  const samples = toCodeSamples(config.urls.gateway, content.data.samplePath, shownKey);
  return (
    <>
      <p className="text-ink-muted">
        {shownKey === undefined
          ? "Replace YOUR_KEY with your API key. It was shown when it was created."
          : "Your key is already in the samples."}
      </p>
      <CodeTabs
        subject="First call"
        value={language}
        onValueChange={setLanguage}
        snippets={samples.map(({ id, label, code, note }) => ({ id, language: label, code, note }))}
      />
    </>
  );
}
