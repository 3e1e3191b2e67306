import { writeFile } from "node:fs/promises";

const STATUSES = [200, 200, 200, 200, 200, 200, 304, 404, 301, 206, 500, 403, 416] as const;
const METHODS = ["GET", "GET", "GET", "GET", "HEAD", "POST"] as const;

/**
 * Writes an access log in which every status, some methods and sizes of all kinds occur.
 *
 * @returns How many lines have each status.
 */
export async function writeGeneratedLog(path: string, lines: number): Promise<Map<number, number>> {
  const byStatus = new Map<number, number>();
  const text = Array.from({ length: lines }, (_, index) => {
    const status = STATUSES[index % STATUSES.length] ?? 200;
    const method = METHODS[index % METHODS.length] ?? "GET";
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const isEmpty = status === 304 || method === "HEAD";
    const size = isEmpty ? "-" : String((index * 37) % 2_000);
    const target = index === 5 ? "//favicon.ico" : `/articles/${index}?page=${index % 7}`;
    return `192.0.2.${index % 250} - - [17/May/2015:10:05:03 +0000] "${method} ${target} HTTP/1.${index % 2}" ${status} ${size} "-" "agent/${index}"\n`;
  });
  await writeFile(path, text.join(""));
  return byStatus;
}
