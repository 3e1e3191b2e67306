import { parentPort, workerData } from "node:worker_threads";
import { parseOpenapiText } from "./parse-openapi-text.ts";

parentPort?.postMessage(parseOpenapiText(String(workerData)));
