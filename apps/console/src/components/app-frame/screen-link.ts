/** The look of a link of the navigation, apart from its width. */
export const SCREEN_LINK_CLASSES =
  "relative flex h-9 items-center rounded-control font-medium text-ink-muted transition-colors duration-120 hover:bg-hover hover:text-ink touch:h-11 data-[status=active]:bg-selected data-[status=active]:text-ink data-[status=active]:before:absolute data-[status=active]:before:inset-y-2 data-[status=active]:before:left-0 data-[status=active]:before:w-[3px] data-[status=active]:before:rounded-full data-[status=active]:before:bg-accent";
