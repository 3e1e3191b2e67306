/** The usual time between two points: the median of the first gaps. */
export type SamplingStep = { gaps: number[]; stepMs: number };

const GAPS = 199;

export function createSamplingStep(): SamplingStep {
  return { gaps: [], stepMs: 0 };
}

/** Learns from a gap; points at the same time say nothing. After {@link GAPS} gaps the step stays. */
export function learnStep(step: SamplingStep, gapMs: number): void {
  if (gapMs <= 0 || step.gaps.length >= GAPS) {
    return;
  }
  let at = step.gaps.length;
  while (at > 0 && (step.gaps[at - 1] ?? 0) > gapMs) {
    at -= 1;
  }
  step.gaps.splice(at, 0, gapMs);
  step.stepMs = step.gaps[step.gaps.length >>> 1] ?? 0;
}
