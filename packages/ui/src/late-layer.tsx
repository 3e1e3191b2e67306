import { useEffect, useSyncExternalStore } from "react";

/** What floats above the page, in a file that is loaded when it is first needed: no first view shows it. */
export type LateLayer<Part> = {
  /** Resolves when it is there, or could not be loaded; the next call tries again. */
  load: () => Promise<void>;
  /** Undefined until it is there. */
  read: () => Part | undefined;
  subscribe: (listener: () => void) => () => void;
};

const layers = new Set<LateLayer<unknown>>();

export function createLateLayer<Part>(load: () => Promise<Part>): LateLayer<Part> {
  const listeners = new Set<() => void>();
  let part: Part | undefined;
  let coming: Promise<void> | undefined;
  const arrive = (loaded: Part): void => {
    part = loaded;
    for (const listener of listeners) {
      listener();
    }
  };
  const layer: LateLayer<Part> = {
    load: () => {
      coming ??= load().then(arrive, () => {
        coming = undefined;
      });
      return coming;
    },
    read: () => part,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  layers.add(layer);
  return layer;
}

/** Loads every layer that something on the page can open. */
export async function loadLayers(): Promise<void> {
  await Promise.all([...layers].map((layer) => layer.load()));
}

/**
 * @param wish - Loads it; each new value tries again after a failure. Undefined or false: not wanted yet.
 * @returns What its file exports; undefined until it is there.
 */
export function useLateLayer<Part>(layer: LateLayer<Part>, wish: unknown): Part | undefined {
  const part = useSyncExternalStore(layer.subscribe, layer.read, () => undefined);
  const isMissing = part === undefined && wish !== undefined && wish !== false;
  // The outside system is the network.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another press is another try
  useEffect(() => {
    if (!isMissing) {
      return;
    }
    const load = (): void => void layer.load();
    load();
    window.addEventListener("online", load);
    return () => window.removeEventListener("online", load);
  }, [layer, isMissing, wish]);
  return part;
}

const ACTIONS = ["pointermove", "pointerdown", "keydown"] as const;

/** Loads the layers once the person does anything, so that they are there before one is asked for. */
export function useLayersOnAction(): void {
  // The outside system is the person at the browser.
  useEffect(() => {
    const act = (): void => {
      stop();
      void loadLayers();
    };
    const stop = (): void => {
      for (const action of ACTIONS) {
        window.removeEventListener(action, act, { capture: true });
      }
    };
    for (const action of ACTIONS) {
      window.addEventListener(action, act, { capture: true, passive: true });
    }
    return stop;
  }, []);
}
