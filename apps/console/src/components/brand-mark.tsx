import { joinClasses } from "@turnpike/ui/join-classes";
import { useReadingPlatform } from "#platform/platform.tsx";

/** The operator's own mark, or the product's. Its container shows or announces the name. */
export function BrandMark({ className }: { className?: string }) {
  const { mark } = useReadingPlatform().config.brand;
  return mark === undefined ? (
    <TollBarrier className={className} />
  ) : (
    <img src={mark} alt="" className={joinClasses("object-contain", className)} />
  );
}

/** A post and its raised bar. The bar takes the operator's accent. */
function TollBarrier({ className }: { className: string | undefined }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true" fill="none">
      <rect width="32" height="32" rx="7" className="fill-[oklch(0.24_0.008_75)]" />
      <path d="M5 22.5 28.5 8.9" strokeWidth="4.6" className="stroke-accent" />
      <path
        d="m13.4 17.65 3.3-1.91m3.7-2.14 3.3-1.91"
        strokeWidth="5.4"
        className="stroke-[oklch(0.24_0.008_75)]"
      />
      <path
        d="M10 17v10"
        strokeWidth="5"
        strokeLinecap="round"
        className="stroke-[oklch(0.955_0.004_85)]"
      />
    </svg>
  );
}
