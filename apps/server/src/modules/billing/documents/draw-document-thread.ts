import { serveTasks } from "#platform/task-thread.ts";
import { drawDocument } from "./draw-document.ts";

serveTasks(drawDocument);
