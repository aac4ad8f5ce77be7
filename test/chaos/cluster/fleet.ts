import { Keeper, type ProcessHistory } from '../keeper.ts';

export type ClusterRole = 'shard' | 'worker';

const READY_MESSAGES: Readonly<Record<ClusterRole, string>> = {
  shard: 'This shard process is ready.',
  worker: 'This worker is ready.',
};

/** One process of the cluster, across all its restarts. */
export class ClusterNode {
  readonly name: string;
  readonly role: ClusterRole;
  readonly keeper: Keeper;
  /** The partitions that it owns, according to its log. */
  readonly owned = new Set<number>();
  /** Whether it is currently being killed, suspended or restarted. */
  isBusy = false;
  #readOffset = 0;

  constructor(role: ClusterRole, name: string, settings: Record<string, string>) {
    this.role = role;
    this.name = name;
    this.keeper = new Keeper({ ...settings, ATELIER_ROLE: role }, READY_MESSAGES[role]);
  }

  /** Must be called often, so that `owned` is current. */
  readOutput(): void {
    const { output } = this.keeper;
    const end = output.lastIndexOf('\n') + 1;
    if (end <= this.#readOffset) return;
    for (const line of output.slice(this.#readOffset, end).split('\n')) this.#readLine(line);
    this.#readOffset = end;
  }

  #readLine(line: string): void {
    // A restarted process owns nothing.
    if (line.includes(READY_MESSAGES.worker)) this.owned.clear();
    const partition = Number(/"partition":(\d+)/.exec(line)?.[1] ?? Number.NaN);
    if (line.includes('This worker owns another partition.')) this.owned.add(partition);
    if (line.includes('This worker released a partition.')) this.owned.delete(partition);
  }
}

/** All processes of the cluster, seen as one bot. */
export class Fleet implements ProcessHistory {
  readonly nodes: ClusterNode[];

  constructor(settings: Record<string, string>, sizes: Readonly<Record<ClusterRole, number>>) {
    this.nodes = (['shard', 'worker'] as const).flatMap((role) =>
      Array.from({ length: sizes[role] }, (_, index) => new ClusterNode(role, `${role} ${index + 1}`, settings)),
    );
  }

  withRole(role: ClusterRole): ClusterNode[] {
    return this.nodes.filter((node) => node.role === role);
  }

  readOutput(): void {
    for (const node of this.nodes) node.readOutput();
  }

  /** The live worker that owns a partition. */
  ownerOf(partition: number): ClusterNode | undefined {
    this.readOutput();
    return this.nodes.find(({ keeper, owned }) => keeper.isAlive && keeper.isReady && owned.has(partition));
  }

  hasAllOwners(partitions: number): boolean {
    return Array.from({ length: partitions }, (_, partition) => this.ownerOf(partition)).every(Boolean);
  }

  get output(): string {
    return this.nodes.map(({ name, keeper }) => `=== ${name}\n${keeper.output}`).join('\n');
  }

  get kills(): number[] {
    return this.nodes.flatMap(({ keeper }) => keeper.kills).sort((a, b) => a - b);
  }

  get starts(): number[] {
    return this.nodes.flatMap(({ keeper }) => keeper.starts).sort((a, b) => a - b);
  }

  get startsMs(): number[] {
    return this.nodes.flatMap(({ keeper }) => keeper.startsMs);
  }

  get unexpectedExits(): (number | null)[] {
    return this.nodes.flatMap(({ keeper }) => keeper.unexpectedExits);
  }

  get lostLeases(): number {
    return this.nodes.reduce((sum, { keeper }) => sum + keeper.lostLeases, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map(({ keeper }) => keeper.close()));
  }
}
