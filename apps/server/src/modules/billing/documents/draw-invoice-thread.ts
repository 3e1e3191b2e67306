import { serveTasks } from "#platform/task-thread.ts";
import { drawInvoice } from "./draw-invoice.ts";

serveTasks(drawInvoice);
