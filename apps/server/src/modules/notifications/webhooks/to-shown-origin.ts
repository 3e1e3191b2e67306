/** The address of an endpoint without possible secrets of the receiver, for logs and for people who may not see it. */
export function toShownOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}
