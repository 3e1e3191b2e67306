import type { OpenAPI } from "@orpc/openapi";

export const tenantParameter: OpenAPI.ParameterObject = {
  name: "tenantId",
  in: "path",
  required: true,
  schema: { $ref: "#/components/schemas/TenantId" },
};
