/** A key as people read it: "data-region" is "Data region". */
export function toWords(key: string): string {
  const words = key.replaceAll(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
