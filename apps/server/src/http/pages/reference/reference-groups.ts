import type { Reference, ReferenceOperation } from "@turnpike/domain/routes/read-reference";

/** Name of the page of the named shapes. */
export const SHAPES = "shapes";

/** The operations of one page. */
export type ReferenceGroup = {
  name: string;
  /** In addresses; unique in the reference. */
  slug: string;
  /** Markdown. */
  description: string | undefined;
  operations: ReferenceOperation[];
};

function toSlug(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "operations"
  );
}

/** Cuts a reference into its pages, in the order of its tags. */
export function toGroups({ tags, operations }: Reference): ReferenceGroup[] {
  const taken = new Set([SHAPES]);
  return tags.map(({ name, description }) => {
    let slug = toSlug(name);
    while (taken.has(slug)) {
      slug = `${slug}-2`;
    }
    taken.add(slug);
    return {
      name,
      slug,
      description,
      operations: operations.filter(({ tag }) => tag === name),
    };
  });
}

/** Says in words which caller an operation needs. @param scope - As the document has it. */
export function describeCaller(scope: string): string {
  return { public: "no credential", person: "a signed-in person" }[scope] ?? scope;
}
