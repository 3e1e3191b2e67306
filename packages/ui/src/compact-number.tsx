import { ExactValue } from "./exact-value.tsx";
import { formatCompactCount } from "./format-compact.tsx";
import { LANGUAGE } from "./language.tsx";

const EXACT = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 6 });

/** From here on a count is shortened: below it, every digit still fits. */
const COMPACT_FROM = 10_000;

export type CompactNumberProps = {
  value: number;
  /** What is counted, for the exact value: "requests". */
  unit?: string;
  isFocusable?: boolean;
};

/** A count as it fits: "9,999", "12.3K". Where digits are left out, the exact one shows on hover and focus. */
export function CompactNumber({ value, unit, isFocusable }: CompactNumberProps) {
  const exact = EXACT.format(value);
  if (Math.abs(value) < COMPACT_FROM) {
    return <span className="tabular-nums">{exact}</span>;
  }
  return (
    <ExactValue
      exact={unit === undefined ? exact : `${exact} ${unit}`}
      {...(isFocusable !== undefined && { isFocusable })}
    >
      {formatCompactCount(value)}
    </ExactValue>
  );
}
