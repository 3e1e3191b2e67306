import { AppError } from "@turnpike/domain/errors/app-error";

export type RecordCache<Value> = {
  /** From memory: the value, `null` when it is known not to exist, `undefined` when it must be loaded. */
  peek(name: string): Value | null | undefined;
  /** From memory, else loaded; many callers of one name share one load. */
  get(name: string): Promise<Value | null>;
  /** Forgets each value with this id, and every memory of what did not exist: the id may name something new. */
  forget(id: string): void;
  /** Forgets that a name does not exist. */
  forgetMiss(name: string): void;
  clear(): void;
  readonly size: number;
};

export type RecordCacheOptions<Value> = {
  /** Reads several values at once, at most {@link LOAD_BATCH_MAX}; what does not exist is left out. */
  load(names: readonly string[]): Promise<ReadonlyMap<string, Value>>;
  /** The id by which changes name the value; its name here may be another, such as a hash. */
  idOf(value: Value): string;
  /** At most this many values are kept, give or take a factor of two. */
  recordsMax: number;
  /** Names kept that are known not to exist, and for how many milliseconds. */
  missesMax: number;
  missTtlMs: number;
  /** Loads under way at once, names that may wait for their turn, and for how many milliseconds. */
  loadsMax: number;
  loadsWaitingMax: number;
  waitMsMax: number;
  monotonicMs: () => number;
};

function overloaded(): AppError {
  return new AppError({
    code: "OVERLOADED",
    publicMessage: "Too many look-ups are waiting. Try again in a moment.",
    headers: { "retry-after": "1" },
  });
}

/** Under a storm of changes a value is answered after this many loads, without being kept. */
const LOAD_ATTEMPTS = 3;

/** What waits is read together: a storm of first uses, or of names that do not exist, costs a hundredth of the queries. */
export const LOAD_BATCH_MAX = 100;

type Waiting<Value> = {
  name: string;
  resolve: (value: Value | null) => void;
  reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
};

/**
 * Keeps records of the database in memory, bounded in every direction.
 *
 * Records live in two generations: a full young one becomes the old one and the old one is dropped, and what is used
 * moves to the young one. That is nearly least-recently-used at the price of one map look-up.
 */
export function createRecordCache<Value>(options: RecordCacheOptions<Value>): RecordCache<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  // Usually one name for an id: a set is made for the second.
  const names = new Map<string, string | Set<string>>();
  const misses = new Map<string, number>();
  const loading = new Map<string, Promise<Value | null>>();
  const waiting: Waiting<Value>[] = [];
  let loads = 0;
  // Counts changes: a load that began before one may have read what was true before it.
  let generation = 0;

  function addName(id: string, name: string): void {
    const known = names.get(id);
    if (known === undefined) {
      names.set(id, name);
    } else if (known instanceof Set) {
      known.add(name);
    } else if (known !== name) {
      names.set(id, new Set([known, name]));
    }
  }

  function removeName(id: string, name: string): void {
    const known = names.get(id);
    if (known instanceof Set) {
      known.delete(name);
    }
    if (known === name || (known instanceof Set && known.size === 0)) {
      names.delete(id);
    }
  }

  function remember(name: string, value: Value): void {
    if (young.size >= options.recordsMax) {
      for (const [dropped, its] of old) {
        if (!young.has(dropped)) {
          removeName(options.idOf(its), dropped);
        }
      }
      old = young;
      young = new Map();
    }
    young.set(name, value);
    addName(options.idOf(value), name);
  }

  function rememberMiss(name: string): void {
    if (misses.size >= options.missesMax) {
      misses.clear();
    }
    misses.set(name, options.monotonicMs() + options.missTtlMs);
  }

  function keep(name: string, value: Value | null): void {
    if (value === null) {
      rememberMiss(name);
    } else {
      remember(name, value);
    }
  }

  function peek(name: string): Value | null | undefined {
    const recent = young.get(name);
    if (recent !== undefined) {
      return recent;
    }
    const older = old.get(name);
    if (older !== undefined) {
      old.delete(name);
      remember(name, older);
      return older;
    }
    const missUntil = misses.get(name);
    if (missUntil === undefined) {
      return;
    }
    if (missUntil > options.monotonicMs()) {
      return null;
    }
    misses.delete(name);
    return;
  }

  async function readFresh(names: readonly string[]): Promise<ReadonlyMap<string, Value>> {
    for (let attempt = 1; ; attempt += 1) {
      const before = generation;
      const values = await options.load(names);
      const isFresh = before === generation;
      if (isFresh) {
        for (const name of names) {
          keep(name, values.get(name) ?? null);
        }
      }
      if (isFresh || attempt === LOAD_ATTEMPTS) {
        return values;
      }
    }
  }

  async function loadTogether(batch: readonly Waiting<Value>[]): Promise<void> {
    try {
      const values = await readFresh(batch.map(({ name }) => name));
      for (const { name, resolve } of batch) {
        resolve(values.get(name) ?? null);
      }
    } catch (error) {
      for (const { reject } of batch) {
        reject(error);
      }
    }
  }

  function startLoads(): void {
    while (loads < options.loadsMax && waiting.length > 0) {
      const batch = waiting.splice(0, LOAD_BATCH_MAX);
      for (const { timer } of batch) {
        clearTimeout(timer);
      }
      loads += 1;
      void loadTogether(batch).then(() => {
        loads -= 1;
        startLoads();
      });
    }
  }

  function load(name: string): Promise<Value | null> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(overloaded());
      }, options.waitMsMax);
      const entry: Waiting<Value> = { name, resolve, reject, timer };
      waiting.push(entry);
      startLoads();
    });
  }

  function get(name: string): Promise<Value | null> {
    const known = peek(name);
    if (known !== undefined) {
      return Promise.resolve(known);
    }
    const underWay = loading.get(name);
    if (underWay !== undefined) {
      return underWay;
    }
    if (waiting.length >= options.loadsWaitingMax) {
      return Promise.reject(overloaded());
    }
    const loaded = load(name).finally(() => loading.delete(name));
    loading.set(name, loaded);
    return loaded;
  }

  return {
    peek,
    get,
    forget: (id) => {
      generation += 1;
      misses.clear();
      const known = names.get(id) ?? [];
      names.delete(id);
      for (const name of typeof known === "string" ? [known] : known) {
        young.delete(name);
        old.delete(name);
      }
    },
    forgetMiss: (name) => {
      misses.delete(name);
    },
    clear: () => {
      generation += 1;
      young.clear();
      old.clear();
      names.clear();
      misses.clear();
    },
    get size() {
      return young.size + old.size;
    },
  };
}
