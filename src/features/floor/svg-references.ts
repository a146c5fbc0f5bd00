import { invalid } from '../../domain/refusal.ts';
import { Pace } from '../../lib/pace.ts';

/** More elements than a browser should have to draw, those that are used several times counted each time. */
const DRAWN_MAX = 1_000_000;
const CHAIN_MAX = 1000;

interface Node {
  /** Elements without an id of their own. */
  own: number;
  readonly children: Node[];
  /** What it refers to, and how often. */
  targets?: Map<string, number>;
  classes?: Map<string, number>;
  /** Elements drawn for it; null while they are counted. */
  drawn?: number | null;
}

/**
 * Which elements draw which others. A few uses of uses of uses are a small file that never ends to draw: `check` counts
 * what is drawn without drawing it.
 */
export class SvgReferences {
  readonly #root: Node = nodeOf();
  /** In the order of the file. */
  readonly #nodes: Node[] = [this.#root];
  readonly #byId = new Map<string, Node>();
  readonly #open: Node[] = [this.#root];
  /** What a class refers to, as a node of its own: counted once, however many elements have it. */
  readonly #byClass = new Map<string, Node>();

  /** An element begins. */
  open(element: {
    readonly id: string | null;
    readonly targets: readonly string[];
    readonly classes: readonly string[];
  }): void {
    const parent = this.#open.at(-1) ?? this.#root;
    const node = element.id === null ? parent : nodeOf();
    node.own++;
    if (node !== parent) {
      parent.children.push(node);
      this.#nodes.push(node);
      if (element.id !== null && !this.#byId.has(element.id)) this.#byId.set(element.id, node);
    }
    for (const id of element.targets) node.targets = added(node.targets, id);
    for (const name of element.classes) node.classes = added(node.classes, name);
    this.#open.push(node);
  }

  /** The element opened last ends. */
  close(): void {
    this.#open.pop();
  }

  /** What a style sheet says of classes. */
  sheet(targets: ReadonlyMap<string, readonly string[]>): void {
    for (const [name, ids] of targets) {
      const node = this.#byClass.get(name) ?? nodeOf();
      this.#byClass.set(name, node);
      for (const id of ids) node.targets = added(node.targets, id);
    }
  }

  /** Refuses (400) a drawing that refers to itself or draws too much. Counts in slices. */
  async check(): Promise<void> {
    const pace = new Pace();
    // What is within an element comes after it, and is counted before it: the count goes down a step or two at a time.
    for (const node of this.#nodes.reverse()) {
      if (pace.due) await pace.pause();
      this.#count(node, 0);
    }
  }

  #count(node: Node, depth: number): number {
    if (node.drawn === null) throw invalid('An element of the SVG refers to itself.');
    if (node.drawn !== undefined) return node.drawn;
    if (depth > CHAIN_MAX) throw invalid(`The SVG has references in a row of more than ${CHAIN_MAX}.`);
    node.drawn = null;
    let drawn = node.own;
    for (const child of node.children) drawn += this.#count(child, depth + 1);
    for (const [target, times] of this.#targetsOf(node)) drawn += times * this.#count(target, depth + 1);
    if (drawn > DRAWN_MAX)
      throw invalid(`The SVG draws more than ${DRAWN_MAX} elements, counting those it uses again.`);
    node.drawn = drawn;
    return drawn;
  }

  *#targetsOf({ targets, classes }: Node): Generator<readonly [target: Node, times: number]> {
    yield* known(this.#byId, targets);
    yield* known(this.#byClass, classes);
  }
}

function* known(
  nodes: ReadonlyMap<string, Node>,
  counts: ReadonlyMap<string, number> = new Map(),
): Generator<readonly [node: Node, times: number]> {
  for (const [name, times] of counts) {
    const node = nodes.get(name);
    if (node) yield [node, times] as const;
  }
}

function nodeOf(): Node {
  return { own: 0, children: [] };
}

// Most elements refer to nothing: they have no map.
function added(counts: Map<string, number> | undefined, name: string): Map<string, number> {
  const all = counts ?? new Map<string, number>();
  return all.set(name, (all.get(name) ?? 0) + 1);
}
