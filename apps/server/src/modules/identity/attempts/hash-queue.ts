import { judgeShare } from "@turnpike/domain/limits/fair-share";

/** For which attempt a password is hashed. */
export type HashSender = {
  /** From `toBlock`. */
  block: string;
  /** The e-mail address as it is stored. */
  account: string;
  /** True for a browser in which someone signed in to the account before. */
  isKnown: boolean;
};

/** Tasks that wait or are under way, each with its sender. */
export interface HashQueue<Task> {
  /** @returns False when it is full, or the sender's share is. */
  add(task: Task, sender: HashSender): boolean;
  /** Takes the next task. It counts until {@link end}. */
  next(): Task | undefined;
  end(task: Task): void;
  /** Empties the queue. @returns All tasks, also those under way. */
  clear(): Task[];
  readonly size: number;
}

const laneOf = ({ block, isKnown }: HashSender) => `${isKnown ? "known" : "other"} ${block}`;

/**
 * Queues hashes so that no network and no account fills the queue: each holds at most as many places as stay free for the others,
 * and networks take turns. Known browsers have places of their own.
 *
 * @param options.places - For browsers that are not known, and in addition for known ones.
 */
export function createHashQueue<Task>(options: {
  places: number;
  knownPlaces: number;
}): HashQueue<Task> {
  const senders = new Map<Task, HashSender>();
  /** Waiting tasks by network, in the order of their turns. */
  const lanes = new Map<string, Task[]>();

  function hasRoom(sender: HashSender): boolean {
    const { isKnown, block, account } = sender;
    const alike = [...senders.values()].filter((other) => other.isKnown === isKnown);
    const whole = isKnown ? options.knownPlaces : options.places;
    const owns = [
      alike.filter((other) => other.block === block).length,
      alike.filter((other) => other.account === account).length,
    ];
    return owns.every(
      (own) => judgeShare({ whole, taken: alike.length, own, asked: 1 }) === "fits",
    );
  }

  return {
    add(task, asked) {
      // A known browser has places of its own in addition to those of everyone.
      const sender = hasRoom(asked) ? asked : { ...asked, isKnown: false };
      if (!hasRoom(sender)) {
        return false;
      }
      senders.set(task, sender);
      const lane = laneOf(sender);
      lanes.set(lane, [...(lanes.get(lane) ?? []), task]);
      return true;
    },
    next() {
      const [turn] = lanes;
      if (turn === undefined) {
        return;
      }
      const [lane, [task, ...others]] = turn;
      // To the end of the line.
      lanes.delete(lane);
      if (others.length > 0) {
        lanes.set(lane, others);
      }
      return task;
    },
    end(task) {
      senders.delete(task);
    },
    clear() {
      const tasks = [...senders.keys()];
      senders.clear();
      lanes.clear();
      return tasks;
    },
    get size() {
      return senders.size;
    },
  };
}
