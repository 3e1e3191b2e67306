import type { DemoTenant } from "./demo-tenants.ts";

/** How busy an hour is, by the time of the day and the day of the week: 1 on average of a working day. */
export function rhythmAt(tenant: DemoTenant, hourMs: number): number {
  const date = new Date(hourMs);
  const phase = ((date.getUTCHours() - tenant.peakHour) / 24) * 2 * Math.PI;
  const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
  return (1 + 0.75 * Math.cos(phase)) * (isWeekend ? tenant.weekendShare : 1);
}
