/** The mark: a post and its raised bar. The bar takes the operator's accent. */
export function BrandMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true" fill="none">
      <rect width="32" height="32" rx="7" className="fill-[oklch(0.24_0.008_75)]" />
      <path
        d="M10.5 17.2 26.2 8.1"
        strokeWidth="4"
        strokeLinecap="round"
        className="stroke-accent"
      />
      <path
        d="m15.3 14.4 2.1-1.2M20.5 11.4l2.1-1.2"
        strokeWidth="4"
        className="stroke-[oklch(0.24_0.008_75)]"
      />
      <path
        d="M9 14v12M5.5 26h7"
        strokeWidth="3.5"
        strokeLinecap="round"
        className="stroke-[oklch(0.955_0.004_85)]"
      />
    </svg>
  );
}
