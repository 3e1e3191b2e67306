import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

const OPEN_LAYER = "[role=dialog][data-open], [role=alertdialog][data-open]";

/** After going to another screen the focus is on its heading, so that the keyboard begins there and it is read out. */
export function useHeadingFocus(): void {
  const router = useRouter();
  // The outside system is the document's focus, which stays on a link of the screen before.
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        const content = document.getElementById("content");
        if (!pathChanged || fromLocation === undefined || content === null) {
          return;
        }
        // A layer that is open keeps the focus (one that is on its way out does not); so does a field of the new screen.
        if (
          document.querySelector(OPEN_LAYER) !== null ||
          content.contains(document.activeElement)
        ) {
          return;
        }
        const heading = content.querySelector("h1");
        heading?.setAttribute("tabindex", "-1");
        (heading ?? content).focus({ preventScroll: true });
      }),
    [router],
  );
}
