import { type Bench, type BenchOptions, type BenchResult, joinResults } from "./rig/bench.ts";
import { openBenchCells } from "./rig/bench-cells.ts";
import { startLoadWithUpstream } from "./rig/load.ts";
import { measureHop } from "./rig/measure-hop.ts";
import { measureMove } from "./rig/measure-move.ts";
import { pinningRemarks } from "./rig/pinned-process.ts";

async function run(options: BenchOptions): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const { load, upstream } = await startLoadWithUpstream();
  parts.defer(() => load.stop());
  const cells = await openBenchCells(parts, {
    upstreamUrl: `http://127.0.0.1:${String(upstream.port)}`,
    core: "server",
  });
  const hop = await measureHop(cells, load, options);
  const moved = await measureMove(cells, options);
  const result = joinResults([hop, moved]);
  return { ...result, remarks: [...result.remarks, ...pinningRemarks()] };
}

export const cellsBench: Bench = {
  name: "cells",
  summary:
    "Calls with keys of another cell against those of its own, and a tenant's move against PostgreSQL's COPY of the same rows.",
  defaults: { seconds: 3, rounds: 4 },
  run,
};
