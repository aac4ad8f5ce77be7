/** Makes a record of the version it stands for into one of the next version. */
export type Migration = (record: Record<string, unknown>) => Record<string, unknown>;

/** By the version they begin at. A change of `TASK_VERSION` adds one line here, and no line is ever taken away. */
export const taskMigrations: ReadonlyMap<number, Migration> = new Map([
  // More kinds than the first version knew; what it wrote is as it was.
  [1, (record) => record],
  // The same of the second.
  [2, (record) => record],
]);

/** Undefined where no way leads up. */
export function upgraded(
  record: Record<string, unknown>,
  to: number,
  migrations: ReadonlyMap<number, Migration>,
): Record<string, unknown> | undefined {
  let { version } = record;
  let current = record;
  while (version !== to) {
    const migration = typeof version === 'number' ? migrations.get(version) : undefined;
    if (typeof version !== 'number' || !migration) return undefined;
    version += 1;
    current = { ...migration(current), version };
  }
  return current;
}
