import type { VocabularyIndex } from "@turnpike/domain/questions/question-vocabulary";

export type NamedField = "key" | "tenant" | "plan";

/** What a caller's questions may name, and the ids behind the names. */
export type NamedVocabulary = {
  readonly index: VocabularyIndex;
  /** By field and name; several keys may have the same name. */
  readonly ids: Readonly<Record<NamedField, ReadonlyMap<string, readonly string[]>>>;
  /** By id. */
  readonly names: ReadonlyMap<string, string>;
  readonly meters: ReadonlyMap<string, { readonly name: string; readonly unit: string }>;
  /** True when there are more keys or tenants than are indexed. */
  readonly isCut: boolean;
  readonly readAtMs: number;
};

/** Vocabularies that were read lately, by tenant and by what the caller may see. */
export type VocabularyCache = Map<string, NamedVocabulary>;

export const createVocabularyCache = (): VocabularyCache => new Map();
