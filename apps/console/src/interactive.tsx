import { useEffect } from "react";

/** Once the page is mounted or hydrated, lets `before-start.js` repeat a click that came too early. */
export function Interactive() {
  useEffect(() => {
    // Not before hydration has rendered again what differs from the served page.
    const timer = setTimeout(() => window.dispatchEvent(new Event("page-interactive")));
    return () => clearTimeout(timer);
  }, []);
  return null;
}
