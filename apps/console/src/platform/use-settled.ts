import { useEffect, useState } from "react";

/** Pause in typing after which a value counts as settled, in milliseconds. */
const PAUSE_MS = 300;

/** Follows a value when it has not changed for a moment, so that the server is not asked for every letter. */
export function useSettled<Value extends string | number | null>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  // The outside system is the clock.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
