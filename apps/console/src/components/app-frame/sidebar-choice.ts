import { useState } from "react";

const STORAGE_KEY = "sidebar";

/** Whether the person has folded the sidebar to its icons, remembered on this device. */
export function useSidebarChoice(): { isFolded: boolean; toggle: () => void } {
  const [isFolded, setIsFolded] = useState(() => localStorage.getItem(STORAGE_KEY) === "folded");
  return {
    isFolded,
    toggle: () => {
      localStorage.setItem(STORAGE_KEY, isFolded ? "open" : "folded");
      setIsFolded(!isFolded);
    },
  };
}
