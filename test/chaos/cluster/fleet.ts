import { Keeper, type Lives } from '../keeper.ts';

export type ClusterRole = 'shard' | 'worker';

const READY: Readonly<Record<ClusterRole, string>> = {
  shard: 'This shard process is ready.',
  worker: 'This worker is ready.',
};

/** One process of the cluster, across all its restarts. */
export class Hand {
  readonly name: string;
  readonly role: ClusterRole;
  readonly keeper: Keeper;
  /** The partitions that it owns, according to its log. */
  readonly owned = new Set<number>();
  /** Whether it is currently being killed, suspended or restarted. */
  isBusy = false;
  #read = 0;

  constructor(role: ClusterRole, name: string, settings: Record<string, string>) {
    this.role = role;
    this.name = name;
    this.keeper = new Keeper({ ...settings, ATELIER_ROLE: role }, READY[role]);
  }

  /** Must be called often, so that `owned` is current. */
  listen(): void {
    const { said } = this.keeper;
    const end = said.lastIndexOf('\n') + 1;
    if (end <= this.#read) return;
    for (const line of said.slice(this.#read, end).split('\n')) this.#note(line);
    this.#read = end;
  }

  #note(line: string): void {
    // A restarted process owns nothing.
    if (line.includes(READY.worker)) this.owned.clear();
    const partition = Number(/"partition":(\d+)/.exec(line)?.[1] ?? Number.NaN);
    if (line.includes('This worker owns another partition.')) this.owned.add(partition);
    if (line.includes('This worker released a partition.')) this.owned.delete(partition);
  }
}

/** All processes of the cluster, seen as one bot. */
export class Fleet implements Lives {
  readonly hands: Hand[];

  constructor(settings: Record<string, string>, sizes: Readonly<Record<ClusterRole, number>>) {
    this.hands = (['shard', 'worker'] as const).flatMap((role) =>
      Array.from({ length: sizes[role] }, (_, index) => new Hand(role, `${role} ${index + 1}`, settings)),
    );
  }

  of(role: ClusterRole): Hand[] {
    return this.hands.filter((hand) => hand.role === role);
  }

  listen(): void {
    for (const hand of this.hands) hand.listen();
  }

  /** The live worker that owns a partition. */
  ownerOf(partition: number): Hand | undefined {
    this.listen();
    return this.hands.find(({ keeper, owned }) => keeper.isAlive && owned.has(partition));
  }

  isWhole(partitions: number): boolean {
    return Array.from({ length: partitions }, (_, at) => this.ownerOf(at)).every(Boolean);
  }

  get said(): string {
    return this.hands.map(({ name, keeper }) => `=== ${name}\n${keeper.said}`).join('\n');
  }

  get kills(): number[] {
    return this.hands.flatMap(({ keeper }) => keeper.kills).sort((a, b) => a - b);
  }

  get starts(): number[] {
    return this.hands.flatMap(({ keeper }) => keeper.starts).sort((a, b) => a - b);
  }

  get startsMs(): number[] {
    return this.hands.flatMap(({ keeper }) => keeper.startsMs);
  }

  get falls(): (number | null)[] {
    return this.hands.flatMap(({ keeper }) => keeper.falls);
  }

  get losses(): number {
    return this.hands.reduce((sum, { keeper }) => sum + keeper.losses, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.hands.map(({ keeper }) => keeper.close()));
  }
}
