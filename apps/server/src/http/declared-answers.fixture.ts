import { buildOpenApiDocument, type DescribedOperation } from "./openapi/openapi-document.ts";
import { createRouteTable } from "./route-table.ts";

type Described = { method: string; path: string; operation: DescribedOperation };

const { paths } = await buildOpenApiDocument({
  consoleUrl: "http://console.test",
  version: "0.0.0-test",
});
const described = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(
    ([method, operation]): Described => ({
      method: method.toUpperCase(),
      path: operation.servers === undefined ? `/v1${path}` : path,
      operation,
    }),
  ),
);
const countNames = ({ path }: Described) => path.split("{").length;
// The table takes the first match: `…/{collection}/changes` comes before `…/{collection}/{documentId}`.
const findDescribed = createRouteTable(
  described.toSorted((one, other) => countNames(one) - countNames(other)),
);

/**
 * Holds an answer of the API to the OpenAPI document: every status and every error code must be declared there. Where the
 * document knows no operation, nothing is said of the answer.
 *
 * @param answer.code - The error code of a problem; undefined for a success.
 * @throws when the document leaves the answer out.
 */
export function assertDeclared(answer: {
  method: string;
  /** As it was asked for, with a query or without. */
  path: string;
  status: number;
  code: string | undefined;
}): void {
  const { method, path, status, code } = answer;
  const found = findDescribed(method, path.split("?", 1)[0] ?? "");
  if (found.kind !== "found") {
    return;
  }
  const { operation } = found.route;
  const response = operation.responses?.[String(status)];
  const description =
    response !== undefined && "description" in response ? response.description : "";
  if (response === undefined || (code !== undefined && !description.includes(`[${code}](`))) {
    throw new Error(
      `${method} ${path} answers ${String(status)} ${code ?? ""}, which the OpenAPI document does not declare for ${String(operation.operationId)}.`,
    );
  }
}
