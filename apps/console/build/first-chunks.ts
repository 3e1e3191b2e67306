/** What the bundler tells about a module, as far as it is asked here. */
type ModuleGraph = {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
};

export type Beginning = {
  name: string;
  /** Ids of the modules that it begins with. */
  entries: readonly string[];
  /** True for scripts that act when they are loaded: they get files of their own, because others import the shared ones. */
  isScript?: boolean;
  /** True for what is loaded before each of the beginnings listed after it. */
  isBeforeNext?: boolean;
  /** True for many beginnings that need different things: what they share with others is left to the bundler as well. */
  isLeftAlone?: boolean;
};

/**
 * Puts what visits begin with into few files: one for each set of beginnings that need the same. Left alone, the bundler makes a
 * file of each of the hundred parts that some screens share, and small files compress badly. No one loads more than they need.
 *
 * @returns The name of a module's file; null for a script, and for a module that no beginning needs: they are left to the bundler.
 */
export function nameFirstChunks(beginnings: readonly Beginning[]) {
  const scripts = new Set(beginnings.flatMap((one) => (one.isScript === true ? one.entries : [])));
  let needed: ReadonlyMap<Beginning, ReadonlySet<string>> | undefined;
  return (id: string, graph: ModuleGraph): string | null => {
    needed ??= new Map(beginnings.map((one) => [one, collectNeeded(graph, one.entries)]));
    if (scripts.has(id)) {
      return null;
    }
    const names: string[] = [];
    for (const [beginning, ids] of needed) {
      if (ids.has(id)) {
        if (beginning.isLeftAlone === true) {
          return null;
        }
        names.push(beginning.name);
        if (beginning.isBeforeNext === true) {
          break;
        }
      }
    }
    return names.length === 0 ? null : names.join("-and-");
  };
}

/** All modules that some import at once, themselves included. */
function collectNeeded(graph: ModuleGraph, entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...entries];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (!found.has(id)) {
      found.add(id);
      open.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
  }
  return found;
}
