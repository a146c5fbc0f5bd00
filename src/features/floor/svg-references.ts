import { invalid } from '../../domain/refusal.ts';

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
  readonly #byId = new Map<string, Node>();
  readonly #open: Node[] = [this.#root];
  readonly #byClass = new Map<string, string[]>();

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
    for (const [name, ids] of targets) this.#byClass.set(name, [...(this.#byClass.get(name) ?? []), ...ids]);
  }

  /** Refuses (400) a drawing that refers to itself or draws too much. */
  check(): void {
    const drawn = this.#count(this.#root, 0);
    if (drawn > DRAWN_MAX)
      throw invalid(`The SVG draws more than ${DRAWN_MAX} elements, counting those it uses again.`);
  }

  #count(node: Node, depth: number): number {
    if (node.drawn === null) throw invalid('An element of the SVG refers to itself.');
    if (node.drawn !== undefined) return node.drawn;
    if (depth > CHAIN_MAX) throw invalid(`The SVG has references in a row of more than ${CHAIN_MAX}.`);
    node.drawn = null;
    let drawn = node.own;
    for (const child of node.children) drawn += this.#count(child, depth + 1);
    for (const [id, times] of this.#targetsOf(node)) {
      const target = this.#byId.get(id);
      if (target) drawn += times * this.#count(target, depth + 1);
    }
    node.drawn = drawn;
    return drawn;
  }

  *#targetsOf({ targets, classes }: Node): Generator<readonly [id: string, times: number]> {
    if (targets) yield* targets;
    for (const [name, times] of classes ?? [])
      for (const id of this.#byClass.get(name) ?? []) yield [id, times] as const;
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
