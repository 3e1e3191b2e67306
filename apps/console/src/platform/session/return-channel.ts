/** The word that begins the `state` of a sign-in in a window or a frame: the server answers its way back with a page that only tells us. */
export type ReturnWay = "window" | "frame";

/** The reply to the page of the way back once its answer has arrived. */
const TAKEN = "taken";

/** Waits for the address that a provider sends a window or a frame back to. */
export type ReturnListener = {
  /** Never rejects, and stays open when `close` is called first. */
  answer: Promise<URL>;
  close(): void;
};

/**
 * Listens for the one answer that has this `state`. A channel of the origin: a provider's page may cut the tie between a window
 * and its opener.
 */
export function listenForReturn(state: string): ReturnListener {
  const channel = new BroadcastChannel(`sign-in:${state}`);
  const { promise, resolve } = Promise.withResolvers<URL>();
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data === "string" && URL.canParse(data)) {
      channel.postMessage(TAKEN);
      channel.close();
      resolve(new URL(data));
    }
  };
  return { answer: promise, close: () => channel.close() };
}
