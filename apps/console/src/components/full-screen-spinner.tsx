import { t } from "@lingui/core/macro";

/** What stands in for the whole page while something has to be known first. */
export function FullScreenSpinner() {
  return (
    <div
      role="status"
      aria-label={t`Loading`}
      className="fixed inset-0 z-40 grid place-items-center bg-paper text-ink-muted"
    >
      <svg
        viewBox="0 0 32 32"
        className="size-8 motion-safe:animate-spin"
        aria-hidden="true"
        fill="none"
      >
        <circle cx="16" cy="16" r="13" stroke="currentColor" strokeWidth="3" opacity="0.2" />
        <path
          d="M29 16a13 13 0 0 0-13-13"
          strokeWidth="3"
          strokeLinecap="round"
          stroke="currentColor"
        />
      </svg>
    </div>
  );
}
