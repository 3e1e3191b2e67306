import { AppError } from "@turnpike/domain/errors/app-error";

export type RecordCache<Value> = {
  /** From memory: the value, `null` when it is known not to exist, `undefined` when it must be loaded. */
  peek(name: string): Value | null | undefined;
  /** From memory, else loaded; many callers of one name share one load. */
  get(name: string): Promise<Value | null>;
  /** Forgets the value with this id, and every memory of what did not exist: the id may name something new. */
  forget(id: string): void;
  clear(): void;
  readonly size: number;
};

export type RecordCacheOptions<Value> = {
  load(name: string): Promise<Value | null>;
  /** The id by which changes name the value; its name here may be another, such as a hash. */
  idOf(value: Value): string;
  /** Values kept at the most, give or take a factor of two. */
  recordsMax: number;
  /** Names kept that are known not to exist, and for how many milliseconds. */
  missesMax: number;
  missTtlMs: number;
  /** Loads under way at once, callers that may wait for their turn, and for how many milliseconds. */
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

/**
 * Keeps records of the database in memory, bounded in every direction.
 *
 * Records live in two generations: a full young one becomes the old one and the old one is dropped, and what is used
 * moves to the young one. That is nearly least-recently-used at the price of one map look-up.
 */
export function createRecordCache<Value>(options: RecordCacheOptions<Value>): RecordCache<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  const names = new Map<string, string>();
  const misses = new Map<string, number>();
  const loading = new Map<string, Promise<Value | null>>();
  const waiting: (() => void)[] = [];
  let loads = 0;
  // Counts changes: a load that began before one may have read what was true before it.
  let generation = 0;

  function remember(name: string, value: Value): void {
    if (young.size >= options.recordsMax) {
      for (const dropped of old.values()) {
        const id = options.idOf(dropped);
        const current = names.get(id);
        if (current !== undefined && !young.has(current)) {
          names.delete(id);
        }
      }
      old = young;
      young = new Map();
    }
    young.set(name, value);
    names.set(options.idOf(value), name);
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

  async function takeTurn(): Promise<void> {
    if (loads < options.loadsMax) {
      loads += 1;
      return;
    }
    if (waiting.length >= options.loadsWaitingMax) {
      throw overloaded();
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(overloaded());
      }, options.waitMsMax);
      waiting.push(start);
    });
  }

  function passTurn(): void {
    const next = waiting.shift();
    if (next === undefined) {
      loads -= 1;
    } else {
      next();
    }
  }

  async function loadFresh(name: string): Promise<Value | null> {
    await takeTurn();
    try {
      let value: Value | null = null;
      for (let attempt = 1; attempt <= LOAD_ATTEMPTS; attempt += 1) {
        const before = generation;
        value = await options.load(name);
        if (before === generation) {
          keep(name, value);
          break;
        }
      }
      return value;
    } finally {
      passTurn();
    }
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
    const load = loadFresh(name).finally(() => loading.delete(name));
    loading.set(name, load);
    return load;
  }

  return {
    peek,
    get,
    forget: (id) => {
      generation += 1;
      misses.clear();
      const name = names.get(id);
      if (name !== undefined) {
        names.delete(id);
        young.delete(name);
        old.delete(name);
      }
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
