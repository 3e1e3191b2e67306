/** The look of everything that floats above the page, so that one layer looks like the next. */

/** A small layer beside its trigger: menu, list of choices, popover. Grows out of the place it came from. */
export const POPUP_CLASSES =
  "max-w-(--available-width) origin-(--transform-origin) rounded-card border border-line bg-surface text-ink text-sm shadow-float outline-none transition-[opacity,scale] duration-150 ease-out data-starting-style:scale-97 data-starting-style:opacity-0 data-ending-style:scale-97 data-ending-style:opacity-0";

/** For a layer that scrolls as a whole when the window has no room for it. */
export const SCROLLING_CLASSES = "max-h-(--available-height) overflow-y-auto overscroll-contain";

/** Above the page, below toasts; a layer opened from a layer follows it in the document and so covers it. */
export const POSITIONER_CLASSES = "z-50 outline-none";

/** A line to choose in a menu or list; what it looks like under the pointer is its own. */
export const OPTION_CLASSES =
  "relative flex min-h-8 cursor-pointer select-none items-center gap-2 rounded-control px-2 py-1.5 text-sm outline-none touch:min-h-11 data-disabled:opacity-50";

/** The page behind a layer that asks for an answer. */
export const BACKDROP_CLASSES =
  "fixed inset-0 z-50 bg-scrim transition-opacity duration-150 ease-out data-starting-style:opacity-0 data-ending-style:opacity-0";

/** The edge and ground of what one types or chooses in. */
export const CONTROL_CLASSES =
  "w-full min-w-0 rounded-control border border-line-control bg-surface text-ink text-sm placeholder:text-ink-faint disabled:cursor-not-allowed disabled:opacity-60 data-disabled:cursor-not-allowed data-disabled:opacity-60 aria-invalid:border-danger touch:text-base";
