import { serveTasks } from "#platform/task-thread.ts";
import { doForecastTask } from "./forecaster.ts";

serveTasks(doForecastTask);
