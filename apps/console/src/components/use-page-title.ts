import { useEffect } from "react";

/**
 * Names the page in the browser's tab.
 *
 * @param title - Undefined leaves the name as it is, while what it is made of has not arrived.
 */
export function usePageTitle(title: string | undefined): void {
  // The outside system is the document, which is also named by the server.
  useEffect(() => {
    if (title !== undefined) {
      document.title = title;
    }
  }, [title]);
}
