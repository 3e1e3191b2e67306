import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CopyButton } from "@turnpike/ui/copy-button";
import type { CodeSample } from "#components/code-samples.view-model.ts";

/** Shown while the radio button of the same language is checked: by the style sheet alone, so it works without scripts. */
const SHOWN_WHEN_CHECKED: Readonly<Record<CodeSample["id"], string>> = {
  curl: "group-has-[[value=curl]:checked]/samples:block",
  typescript: "group-has-[[value=typescript]:checked]/samples:block",
  python: "group-has-[[value=python]:checked]/samples:block",
  nginx: "group-has-[[value=nginx]:checked]/samples:block",
};

/** One call in several languages, one at a time. */
export function CodeSamples({ samples }: { samples: readonly CodeSample[] }) {
  return (
    <div className="group/samples min-w-0 overflow-hidden rounded-card border border-line bg-surface">
      <fieldset className="border-line border-b px-2">
        <legend className="sr-only">
          <Trans>Language of the sample</Trans>
        </legend>
        <div className="flex overflow-x-auto">
          {samples.map((sample, index) => (
            <label
              key={sample.id}
              className="relative cursor-pointer px-2.5 py-2.5 font-medium text-ink-muted text-xs whitespace-nowrap hover:text-ink touch:py-3.5 has-checked:text-ink has-checked:after:absolute has-checked:after:inset-x-2 has-checked:after:bottom-0 has-checked:after:h-0.5 has-checked:after:bg-accent has-checked:after:forced-color-adjust-none has-focus-visible:rounded-control has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 sm:px-3"
            >
              <input
                type="radio"
                name="sample"
                value={sample.id}
                defaultChecked={index === 0}
                className="sr-only"
              />
              {sample.label}
            </label>
          ))}
        </div>
      </fieldset>
      {samples.map((sample) => (
        <figure
          key={sample.id}
          aria-label={t`The call in ${sample.label}`}
          className={`hidden ${SHOWN_WHEN_CHECKED[sample.id]}`}
        >
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
            tabIndex={0}
            className="overflow-x-auto p-4 font-mono text-[0.8125rem] leading-6 sm:min-h-[17.25rem]"
          >
            <code data-sample={sample.id}>{sample.code}</code>
          </pre>
          <figcaption className="flex items-center justify-between gap-3 border-line border-t bg-sunken py-1.5 pr-1.5 pl-4 text-ink-muted text-xs">
            {sample.note}
            <CopyButton value={sample.code} subject={t`the call in ${sample.label}`} />
          </figcaption>
        </figure>
      ))}
    </div>
  );
}
