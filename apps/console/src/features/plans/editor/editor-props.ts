/** What the catalogue of an operator shows beside the list: a plan with its versions, or its draft. */
export type EditorPlace = {
  /** Id of the open plan; undefined: the list alone. */
  plan: string | undefined;
  /** True: its draft is edited; else its versions are shown. */
  isDraft: boolean;
};

export type EditorProps = {
  place: EditorPlace;
  onPlaceChange: (place: EditorPlace) => void;
};
