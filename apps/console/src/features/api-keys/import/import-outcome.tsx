import { t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { formatCount } from "#platform/format.ts";
import type { ImportTally } from "./import-run.view-model.ts";

export type ImportOutcomeProps = { tally: ImportTally; isDryRun: boolean; rowCount: number };

/** The result of the rows so far or of the dry run: counts, and the first errors by position in the file. */
export function ImportOutcome({ tally, isDryRun, rowCount }: ImportOutcomeProps) {
  const counts = [
    { label: isDryRun ? t`To import` : t`Imported`, count: tally.imported, tone: "text-ok" },
    { label: t`Already there`, count: tally.existing, tone: "text-ink" },
    {
      label: t`Refused`,
      count: tally.refused,
      tone: tally.refused === 0 ? "text-ink" : "text-danger",
    },
  ];
  return (
    <div className="space-y-4">
      <p role="status" className="text-ink-muted">
        <Trans>
          {formatCount(tally.done)} of {formatCount(rowCount)}{" "}
          <Plural value={rowCount} one="row" other="rows" />{" "}
          {isDryRun ? t`checked; nothing is imported yet.` : t`processed.`}
        </Trans>
      </p>
      <dl className="grid grid-cols-3 divide-x divide-line rounded-card border border-line">
        {counts.map(({ label, count, tone }) => (
          <div key={label} className="min-w-0 px-4 py-3">
            <dt className="text-ink-muted text-xs">{label}</dt>
            <dd className={`font-semibold text-lg tabular-nums ${tone}`}>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      {tally.mistakes.length > 0 && <Mistakes tally={tally} />}
    </div>
  );
}

function Mistakes({ tally }: { tally: ImportTally }) {
  return (
    <div>
      <p className="mb-1.5 font-medium">
        <Trans>Refused rows do not affect the others</Trans>
      </p>
      <section
        aria-label={t`Refused rows`}
        // A scrolling box must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-control border border-line"
      >
        <table className="w-full border-collapse text-left max-sm:block">
          <thead className="sticky top-0 bg-surface text-ink-muted text-xs max-sm:hidden">
            <tr className="border-line border-b">
              <th scope="col" className="px-3 py-2 font-medium">
                <Trans>Where</Trans>
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                <Trans>Field</Trans>
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                <Trans>Problem</Trans>
              </th>
            </tr>
          </thead>
          <tbody className="max-sm:block">
            {tally.mistakes.map(({ place, field, message }) => (
              <tr
                key={`${place} ${field} ${message}`}
                className="border-line border-t align-top first:border-t-0 max-sm:block max-sm:px-3 max-sm:py-2"
              >
                <td className="px-3 py-2 whitespace-nowrap tabular-nums max-sm:inline max-sm:p-0 max-sm:font-medium">
                  {place}
                </td>
                <td className="px-3 py-2 font-mono text-xs leading-5 max-sm:inline max-sm:px-2 max-sm:py-0">
                  {field || "–"}
                </td>
                <td className="px-3 py-2 [overflow-wrap:anywhere] max-sm:block max-sm:p-0">
                  {message}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {tally.mistakesOmitted > 0 && (
        <p className="mt-1.5 text-ink-muted text-xs">
          <Trans>And {formatCount(tally.mistakesOmitted)} more.</Trans>
        </p>
      )}
    </div>
  );
}
