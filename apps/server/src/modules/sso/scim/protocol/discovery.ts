/** What this service can do, in the form of RFC 7643, sections 5 to 7. */

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
/** The most resources of one answer. */
export const PAGE_MAX = 100;

type AttributeOptions = {
  type?: "string" | "boolean" | "complex" | "reference";
  required?: boolean;
  mutability?: "readOnly" | "readWrite";
  uniqueness?: "none" | "server";
  caseExact?: boolean;
  multiValued?: boolean;
  subAttributes?: readonly object[];
  referenceTypes?: readonly string[];
};

function attribute(name: string, description: string, options: AttributeOptions = {}) {
  const { type = "string", subAttributes, referenceTypes, ...rest } = options;
  return {
    name,
    type,
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...rest,
    ...(subAttributes !== undefined && { subAttributes }),
    ...(referenceTypes !== undefined && { referenceTypes }),
  };
}

const reference = (to: string) =>
  attribute("$ref", `The address of the ${to.toLowerCase()}.`, {
    type: "reference",
    mutability: "readOnly",
    caseExact: true,
    referenceTypes: [to],
  });

const USER_ATTRIBUTES = [
  attribute("userName", "The name of the person in the directory.", {
    required: true,
    uniqueness: "server",
  }),
  attribute("name", "The parts of the person's name.", {
    type: "complex",
    subAttributes: [
      attribute("formatted", "The whole name."),
      attribute("givenName", "The given name."),
      attribute("familyName", "The family name."),
    ],
  }),
  attribute("displayName", "The name that others read."),
  attribute("active", "False ends the person's access at once.", { type: "boolean" }),
  attribute("emails", "The address of the person; one is kept.", {
    type: "complex",
    multiValued: true,
    subAttributes: [
      attribute("value", "An address of a domain that the tenant has proven."),
      attribute("type", "Always work."),
      attribute("primary", "Always true.", { type: "boolean" }),
    ],
  }),
  attribute("groups", "The groups of the person.", {
    type: "complex",
    multiValued: true,
    mutability: "readOnly",
    subAttributes: [
      attribute("value", "The id of the group.", { mutability: "readOnly", caseExact: true }),
      attribute("display", "The name of the group.", { mutability: "readOnly" }),
      reference("Group"),
    ],
  }),
];

const GROUP_ATTRIBUTES = [
  attribute("displayName", "The name of the role that the group gives.", {
    required: true,
    uniqueness: "server",
  }),
  attribute("members", "The people of the group.", {
    type: "complex",
    multiValued: true,
    subAttributes: [
      attribute("value", "The id of the user.", { caseExact: true }),
      attribute("display", "The name of the user.", { mutability: "readOnly" }),
      reference("User"),
    ],
  }),
];

function toMeta(baseUrl: string, resourceType: string, path: string) {
  return { resourceType, location: `${baseUrl}/${path}` };
}

export function describeService(baseUrl: string) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: PAGE_MAX },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The token that an owner makes under Single sign-on.",
        specUri: "https://www.rfc-editor.org/info/rfc6750",
        primary: true,
      },
    ],
    meta: toMeta(baseUrl, "ServiceProviderConfig", "ServiceProviderConfig"),
  };
}

export function listResourceTypes(baseUrl: string) {
  const describe = (name: string, endpoint: string, schema: string) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: name,
    name,
    endpoint,
    schema,
    schemaExtensions: [],
    meta: toMeta(baseUrl, "ResourceType", `ResourceTypes/${name}`),
  });
  return [describe("User", "/Users", USER_SCHEMA), describe("Group", "/Groups", GROUP_SCHEMA)];
}

export function listSchemas(baseUrl: string) {
  const describe = (
    id: string,
    name: string,
    description: string,
    attributes: readonly object[],
  ) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id,
    name,
    description,
    attributes,
    meta: toMeta(baseUrl, "Schema", `Schemas/${id}`),
  });
  return [
    describe(USER_SCHEMA, "User", "A person of the directory.", USER_ATTRIBUTES),
    describe(GROUP_SCHEMA, "Group", "A group that gives a role.", GROUP_ATTRIBUTES),
  ];
}
