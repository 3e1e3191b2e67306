import type { Clock } from "pg-boss";

/**
 * The clock of the job queue: the wall clock as it was when the process began, carried on by the monotonic one. The queue
 * waits for moments of its clock, so that a wall clock which is set back would have its passes wait until it has caught up,
 * in a timer that cannot hold a month. How far this is off the database's own clock it measures and allows for.
 */
export const queueClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  setInterval: (callback, ms) => setInterval(callback, ms),
  clearInterval: (handle) => clearInterval(handle as NodeJS.Timeout),
};
