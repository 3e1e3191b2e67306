import { formatCount } from "#platform/format.ts";
import type { ImportTally } from "./import-run.view-model.ts";

export type ImportOutcomeProps = { tally: ImportTally; isDryRun: boolean; rowCount: number };

/** The result of the rows so far or of the dry run: counts, and the first errors by position in the file. */
export function ImportOutcome({ tally, isDryRun, rowCount }: ImportOutcomeProps) {
  const counts = [
    { label: isDryRun ? "To import" : "Imported", count: tally.imported, tone: "text-ok" },
    { label: "Already there", count: tally.existing, tone: "text-ink" },
    {
      label: "Refused",
      count: tally.refused,
      tone: tally.refused === 0 ? "text-ink" : "text-danger",
    },
  ];
  return (
    <div className="space-y-4">
      <p role="status" className="text-ink-muted">
        {formatCount(tally.done)} of {formatCount(rowCount)} {rowCount === 1 ? "row" : "rows"}{" "}
        {isDryRun ? "checked; nothing is imported yet." : "processed."}
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
      <p className="mb-1.5 font-medium">Refused rows do not affect the others</p>
      <section
        aria-label="Refused rows"
        // A scrolling box must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-control border border-line"
      >
        <table className="w-full border-collapse text-left max-sm:block">
          <thead className="sticky top-0 bg-surface text-ink-muted text-xs max-sm:hidden">
            <tr className="border-line border-b">
              <th scope="col" className="px-3 py-2 font-medium">
                Where
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Field
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Problem
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
          And {formatCount(tally.mistakesOmitted)} more.
        </p>
      )}
    </div>
  );
}
