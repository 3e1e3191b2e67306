import type { LandingContent } from "@turnpike/contract/public-pages";
import { lazy, Suspense, useEffect, useRef, useState } from "react";

const PriceCalculator = lazy(async () => ({
  default: (await import("./price-calculator.tsx")).PriceCalculator,
}));

/** So far ahead of the window it is loaded, that it is there before it is seen. */
const AHEAD = "600px";

/**
 * The place of the calculator. Visitors who do not come near it load nothing of it, and without scripts the plans above say all.
 */
export function PriceCalculatorSlot(props: Pick<LandingContent, "plans" | "meters">) {
  const slot = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) {
          setIsNear(true);
          observer.disconnect();
        }
      },
      { rootMargin: AHEAD },
    );
    if (slot.current !== null) {
      observer.observe(slot.current);
    }
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={slot}>
      {isNear && (
        <Suspense fallback={null}>
          <PriceCalculator {...props} />
        </Suspense>
      )}
    </div>
  );
}
