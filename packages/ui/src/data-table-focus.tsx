import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** What of a list had the focus last, and where it stood. */
type Place = { element: Element; rowId: string | undefined; rowIndex: number };

/** Layers above the page that return the focus to it. */
const DIALOGS = "[role=dialog], [role=alertdialog]";
const LAYERS = `${DIALOGS}, [role=menu], [data-sonner-toaster]`;

/**
 * Keeps the keyboard's place in a list: when what had the focus leaves it, a row that no longer matches or a button that
 * has nothing more to do, the focus goes to the row that took its place, else to the list. Without this it would be on
 * the whole page, and the next key would do nothing.
 *
 * @param root - Holds the rows, each with `data-row`, and can take the focus itself.
 */
export function useKeptFocus(root: RefObject<HTMLElement | null>): void {
  const last = useRef<Place>(undefined);

  // Anything that was drawn anew may have lost what had the focus.
  useLayoutEffect(() => keepFocus(root.current, last.current));

  // The outside system is the focus of the page, and the layers above it, which are drawn by others.
  useEffect(() => {
    function follow({ target, relatedTarget }: FocusEvent): void {
      const list = root.current;
      if (list === null || !(target instanceof Element)) {
        return;
      }
      if (list.contains(target)) {
        // The list itself is where the focus goes when there is nothing better.
        last.current = target === list ? undefined : toPlace(list, target);
      } else if (target.closest(LAYERS) === null) {
        const isReturned = relatedTarget instanceof Element && relatedTarget.closest(DIALOGS);
        if (isReturned && last.current?.element.isConnected === false) {
          // A dialog that finds its row gone goes further back, to what opened one before.
          findHeir(list, last.current).focus();
        } else {
          last.current = undefined;
        }
      }
    }
    // A layer gives the focus back in the moment in which it goes.
    const layers = new MutationObserver(() => {
      requestAnimationFrame(() => keepFocus(root.current, last.current));
    });
    document.addEventListener("focusin", follow);
    layers.observe(document.body, { childList: true });
    return () => {
      document.removeEventListener("focusin", follow);
      layers.disconnect();
    };
  }, [root]);
}

function keepFocus(list: HTMLElement | null, last: Place | undefined): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (list !== null && last !== undefined && isLost && !last.element.isConnected) {
    findHeir(list, last).focus();
  }
}

function toPlace(list: HTMLElement, element: Element): Place {
  const row = element.closest<HTMLElement>("[data-row]");
  return {
    element,
    rowId: row?.dataset["row"],
    rowIndex: row === null ? -1 : listRows(list).indexOf(row),
  };
}

function listRows(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-row]")];
}

function findHeir(list: HTMLElement, { rowId, rowIndex }: Place): HTMLElement {
  const rows = listRows(list).filter((row) => row.hasAttribute("tabindex"));
  return (
    rows.find((row) => rowId !== undefined && row.dataset["row"] === rowId) ??
    (rowIndex === -1 ? rows.find((row) => row.tabIndex === 0) : rows[rowIndex]) ??
    rows.at(-1) ??
    list
  );
}
