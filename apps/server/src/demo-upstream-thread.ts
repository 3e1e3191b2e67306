import { parentPort } from "node:worker_threads";
import { startDemoApi } from "@turnpike/demo-api/start-demo-api";

const demo = await startDemoApi({ port: 0, host: "127.0.0.1" });
parentPort?.postMessage(demo.port);
