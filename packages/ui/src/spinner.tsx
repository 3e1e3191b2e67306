import { joinClasses } from "./join-classes.tsx";

/** Turns while something is awaited. Purely visual: what is awaited is said in words beside it. */
export function Spinner({ className = "size-4" }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={joinClasses("shrink-0 motion-safe:animate-spin", className)}
      aria-hidden="true"
      fill="none"
    >
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="2" opacity="0.3" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
