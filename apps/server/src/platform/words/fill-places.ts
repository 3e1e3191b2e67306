const PLACE = /'([{}])'|\{(\d+)\}/g;

/** Puts values in the numbered places of a message. */
export function fillPlaces(message: string, values: readonly string[]): string {
  return message.replaceAll(PLACE, (_, brace: string | undefined, place: string) =>
    brace === undefined ? (values[Number(place)] ?? "") : brace,
  );
}
