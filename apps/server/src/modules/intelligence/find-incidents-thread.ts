import { serveTasks } from "#platform/task-thread.ts";
import { findIncidentsHere } from "./incident-finder.ts";

serveTasks(findIncidentsHere);
