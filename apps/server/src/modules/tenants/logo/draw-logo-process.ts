import { serveProcessTasks } from "#platform/task-process.ts";
import { drawLogo } from "./draw-logo.ts";

serveProcessTasks(drawLogo);
