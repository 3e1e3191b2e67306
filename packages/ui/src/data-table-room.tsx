/** What a column takes at least, in pixels, by its id. */
export type ColumnRoom = readonly (readonly [id: string, widthPx: number])[];

/** What the boxes to choose rows and the menus take, in pixels. */
const SELECTION_PX = 40;
const ACTIONS_PX = 48;

/** By the width of the table below which a column leaves. Cards have place for all of them. */
const LEAVING_CLASSES = {
  512: "md:@max-[512px]/table:hidden",
  576: "md:@max-[576px]/table:hidden",
  640: "md:@max-[640px]/table:hidden",
  704: "md:@max-[704px]/table:hidden",
  768: "md:@max-[768px]/table:hidden",
  832: "md:@max-[832px]/table:hidden",
  896: "md:@max-[896px]/table:hidden",
  960: "md:@max-[960px]/table:hidden",
  1024: "md:@max-[1024px]/table:hidden",
  1088: "md:@max-[1088px]/table:hidden",
} as const;

type LeavingWidth = keyof typeof LEAVING_CLASSES;
const LEAVING_WIDTHS = [512, 576, 640, 704, 768, 832, 896, 960, 1024, 1088] as const;

/** Below which width of the table, in pixels, columns leave. Those that always have room are not in it. */
export type LeavingColumns = ReadonlyMap<string, LeavingWidth>;

export type LeavingColumnsInput = {
  room: ColumnRoom;
  /** Columns that the person has put away make room for others. */
  hiddenColumns: ReadonlySet<string> | undefined;
  hasSelection: boolean;
  hasActions: boolean;
};

/**
 * Says below which width of the table each column leaves: the last ones of the list first. The step below what is needed
 * is taken, because words wrap before anything is cut.
 */
export function toLeavingColumns(input: LeavingColumnsInput): LeavingColumns {
  const leaving = new Map<string, LeavingWidth>();
  let neededPx = (input.hasSelection ? SELECTION_PX : 0) + (input.hasActions ? ACTIONS_PX : 0);
  for (const [id, widthPx] of input.room) {
    if (input.hiddenColumns?.has(id) === true) {
      continue;
    }
    neededPx += widthPx;
    const step = LEAVING_WIDTHS.findLast((width) => width <= neededPx);
    if (step !== undefined) {
      leaving.set(id, step);
    }
  }
  return leaving;
}

/** The class of a header or cell of a column. */
export function toLeavingClass(leaving: LeavingColumns, columnId: string): string | undefined {
  const width = leaving.get(columnId);
  return width === undefined ? undefined : LEAVING_CLASSES[width];
}
