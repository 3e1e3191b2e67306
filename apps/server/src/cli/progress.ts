/** Tells on standard error how far something is: drawn in place on a terminal, otherwise a line for each tenth. */
export type Progress = {
  /** @param state.total - Null when unknown; a plain log then gets no lines. */
  update(state: { done: number; total: number | null; note: string }): void;
  end(): void;
};

const REDRAW_INTERVAL_MS = 100;
const PLAIN_STEP_PERCENT = 10;

export function createProgress(input: {
  label: string;
  isTerminal: boolean;
  monotonicMs: () => number;
  write: (text: string) => void;
}): Progress {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let toldPercent = 0;
  let isDrawn = false;
  return {
    update: ({ done, total, note }) => {
      const percent = total === null ? 0 : total === 0 ? 100 : Math.floor((done / total) * 100);
      const part = total === null ? "" : ` ${String(percent).padStart(3)} %`;
      const text = `${input.label}${part}  ${note}`;
      if (!input.isTerminal) {
        if (percent >= toldPercent + PLAIN_STEP_PERCENT) {
          toldPercent = percent - (percent % PLAIN_STEP_PERCENT);
          input.write(`${text}\n`);
        }
        return;
      }
      const nowMs = input.monotonicMs();
      if (nowMs - drawnAtMs >= REDRAW_INTERVAL_MS || done === total) {
        drawnAtMs = nowMs;
        isDrawn = true;
        input.write(`\r\u001b[K${text}`);
      }
    },
    end: () => {
      if (isDrawn) {
        input.write("\n");
      }
    },
  };
}
