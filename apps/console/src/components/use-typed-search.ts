import { useEffect, useEffectEvent, useState } from "react";

/** Pause in typing before the search starts, in milliseconds. */
const PAUSE_MS = 250;

/**
 * Keeps what is being typed, and writes it into the address when the person pauses. When the address changes otherwise,
 * as with Back, the field follows.
 */
export function useTypedSearch(inAddress: string, onSearch: (text: string) => void) {
  const [text, setText] = useState(inAddress);
  const [followed, setFollowed] = useState(inAddress);
  const wanted = text.trim();
  if (followed !== inAddress) {
    setFollowed(inAddress);
    // What the field asked for itself must not take away what was typed since.
    setText(inAddress === wanted ? text : inAddress);
  }
  const search = useEffectEvent(() => onSearch(wanted));
  // The outside system is the clock.
  useEffect(() => {
    if (wanted === inAddress) {
      return;
    }
    const timer = setTimeout(search, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted, inAddress]);
  return { text, setText };
}
