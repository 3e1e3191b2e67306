import { lazy, Suspense } from "react";
import type { SecondStepPageProps } from "./second-step-page.tsx";

const SecondStepPage = lazy(async () => ({
  default: (await import("./second-step-page.tsx")).SecondStepPage,
}));

/** The second step, loaded when a sign-in needs it. */
export function LazySecondStep(props: SecondStepPageProps) {
  return (
    <Suspense fallback={null}>
      <SecondStepPage {...props} />
    </Suspense>
  );
}
