import { parentPort } from "node:worker_threads";
import { startDemoApi } from "@turnpike/demo-api/start-demo-api";
import { startReplayStub } from "#platform/replay-stub.ts";

const address = { port: 0, host: "127.0.0.1" };
const demo = await startDemoApi(address);
const replay = await startReplayStub(address);
parentPort?.postMessage({ demoPort: demo.port, replayPort: replay.port });
