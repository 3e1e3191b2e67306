export type MeterBarProps = {
  /** Used share, 0 to 1; more is drawn as full. */
  share: number;
  /** The same in words, for screen readers. */
  label: string;
  tone: "accent" | "warning" | "danger";
};

const FILLS = { accent: "fill-accent", warning: "fill-warning", danger: "fill-danger" } as const;

/** How much of a limit is used. A share above nothing is at least 1 % wide, so that the first call is seen. */
export function MeterBar({ share, label, tone }: MeterBarProps) {
  const percent = share <= 0 ? 0 : Math.min(100, Math.max(1, share * 100));
  return (
    <svg
      role="img"
      aria-label={label}
      className="block h-2 w-full overflow-hidden rounded-full border border-line bg-sunken"
    >
      <rect width={`${percent.toFixed(2)}%`} height="100%" className={FILLS[tone]} />
    </svg>
  );
}
