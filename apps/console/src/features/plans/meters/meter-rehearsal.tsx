import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { TextArea } from "@turnpike/ui/text-area";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { type MeterDraft, toPreviewInput } from "./meter-draft.view-model.ts";
import { toMeterFailure } from "./meter-failure.ts";
import { PreviewResult } from "./preview-result.tsx";
import { readSamples, toSampleText } from "./sample-events.view-model.ts";

/** The newest events that a meter is tried on. */
const EVENTS_TRIED = 1_000;

type Source = "recent" | "sample";

const SOURCES = [
  { value: "recent", label: t`Recent events` },
  { value: "sample", label: t`A sample event` },
] as const satisfies readonly { value: Source; label: string }[];

/** Tries a draft on recent events or, while there are none, on a typed or pasted one. It publishes nothing. */
export function MeterRehearsal({ draft }: { draft: MeterDraft }) {
  const { api } = usePlatform();
  const [source, setSource] = useState<Source>("recent");
  const [typed, setTyped] = useState<string>();
  const [fault, setFault] = useState<string>();
  const meter = toPreviewInput(draft);
  // Until the person types, the sample follows the draft.
  const sample = typed ?? toSampleText(draft);
  const subject = JSON.stringify([meter, source === "sample" ? sample : null]);
  const rehearsal = useMutation({
    mutationKey: ["meters", "preview"],
    mutationFn: (events: unknown[] | undefined) =>
      api.events.previewMeter({
        meter,
        limit: EVENTS_TRIED,
        ...(events !== undefined && { events }),
      }),
    onMutate: (events) => ({ tried: subject, isOfSample: events !== undefined }),
  });
  const failure = toMeterFailure(rehearsal.error, "/meter");
  const isOfSource = rehearsal.context?.isOfSample === (source === "sample");

  function tryIt(): void {
    if (source === "recent") {
      rehearsal.mutate(undefined);
      return;
    }
    const read = readSamples(sample);
    setFault(read.ok ? undefined : read.message);
    if (read.ok) {
      rehearsal.mutate(read.events);
    }
  }

  return (
    <section
      aria-label={t`Try it before publishing`}
      className="flex flex-col gap-3 rounded-control border border-line px-3 py-2.5"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <SegmentedControl<Source>
          label={t`Try it on`}
          value={source}
          segments={SOURCES}
          onValueChange={setSource}
        />
        <Button
          size="small"
          progress={rehearsal.isPending ? t`Trying…` : undefined}
          onClick={tryIt}
        >
          {source === "recent" ? t`Try on recent events` : t`Try on this event`}
        </Button>
      </div>
      {source === "sample" && (
        <TextArea
          label={t`Event as JSON`}
          help={t`A CloudEvent as JSON, as your programs would send it, or a list of up to 100.`}
          isMono
          rows={8}
          value={sample}
          spellCheck={false}
          error={fault}
          onChange={({ currentTarget: { value } }) => {
            setFault(undefined);
            setTyped(value);
          }}
        />
      )}
      <p className="text-ink-muted text-xs">
        <Trans>Trying it counts and publishes nothing.</Trans>
      </p>
      <div aria-live="polite" className="empty:hidden">
        {isOfSource && failure !== undefined && (
          <ul className="text-danger">
            {failure.messages.map((message) => (
              <li key={message} className="[overflow-wrap:anywhere]">
                {message}
              </li>
            ))}
          </ul>
        )}
        {isOfSource && rehearsal.data !== undefined && (
          <>
            <PreviewResult
              preview={rehearsal.data}
              unit={draft.unit.trim()}
              isStale={rehearsal.context?.tried !== subject}
            />
            {rehearsal.data.tried === 0 && (
              <Button size="small" className="mt-2" onClick={() => setSource("sample")}>
                <Trans>Try a sample event instead</Trans>
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  );
}
