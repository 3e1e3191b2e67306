/**
 * Loaded before the product (`--import`, with `--expose-gc`): answers `memory` on the channel to the bench with the bytes that
 * are in use after a collection, in the heap and outside of it. The product itself knows nothing of it.
 */
process.on("message", (question) => {
  if (question === "memory") {
    globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send?.({ usedBytes: heapUsed + external, rssBytes: rss });
  }
});
// Listening must not keep a process alive that wants to end.
process.channel?.unref();
