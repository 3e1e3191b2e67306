import type { ExternalToast } from "sonner";

export type Toast = {
  /** Counts all toasts of the page. */
  number: number;
  kind: "success" | "error" | "warning";
  message: string;
  options: ExternalToast | undefined;
};

type Say = (message: string, options?: ExternalToast) => void;

/** Toasts that nothing shows yet, in order: what shows them is loaded when there is one. */
let waiting: readonly Toast[] = [];
let said = 0;
const listeners = new Set<() => void>();

function sayAs(kind: Toast["kind"]): Say {
  return (message, options) => {
    said += 1;
    waiting = [...waiting, { number: said, kind, message, options }];
    for (const listener of listeners) {
      listener();
    }
  };
}

/** Confirms or explains something in a corner of the page. */
export const toast: Readonly<Record<Toast["kind"], Say>> = {
  success: sayAs("success"),
  error: sayAs("error"),
  warning: sayAs("warning"),
};

/** Calls back after each toast, until the returned function is called. */
export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Those that wait for what shows them; the same list until there is another one. */
export function listWaitingToasts(): readonly Toast[] {
  return waiting;
}

/** The toasts since the last call. */
export function takeToasts(): readonly Toast[] {
  const taken = waiting;
  waiting = [];
  return taken;
}
