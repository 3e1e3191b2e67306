/** True for the id of a request as answers name it. */
export function isRequestId(text: string): boolean {
  return /^req_[0-9a-f]{32}$/.test(text);
}
