import type { z } from 'zod';
import type { Snapshot } from '../../gateway/read/snapshot.ts';
import type { Submission } from '../../gateway/read/submission.ts';
import type { Task, TaskKind } from '../task.ts';

/** Whose patience it is: how long members wait before they are told that it takes longer. */
export type Patience = 'picture' | 'video' | 'music' | 'text';

/** Where tasks of some kinds are asked about. */
export interface Source {
  name: string;
  one(remoteId: string): Promise<Snapshot>;
  /** Where many can be asked about at once. Those that the gateway does not know are missing from the answer. */
  many?: { most: number; ask(remoteIds: readonly string[]): Promise<ReadonlyMap<string, Snapshot>> };
}

/** What differs between imagine, describe, video and the others. */
interface KindDefinition<Request> {
  name: TaskKind;
  source: Source;
  patience: Patience;
  request: z.ZodType<Request>;
  /** Jobs of the same key take about as long. */
  durationKey(request: Request): string;
  model?(request: Request): string | undefined;
  submit(request: Request, idempotencyKey: string): Promise<Submission>;
}

export interface Kind extends Omit<KindDefinition<unknown>, 'request' | 'durationKey' | 'model' | 'submit'> {
  durationKey(request: Task['request']): string;
  model(request: Task['request']): string | undefined;
  submit(request: Task['request'], idempotencyKey: string): Promise<Submission>;
}

/** A request comes from a command or from the store: its kind reads it before it is used. */
export function kind<Request>(definition: KindDefinition<Request>): Kind {
  const { name, source, patience, request: shape } = definition;
  return {
    name,
    source,
    patience,
    durationKey: (request) => definition.durationKey(shape.parse(request)),
    model: (request) => definition.model?.(shape.parse(request)),
    submit: async (request, idempotencyKey) => definition.submit(shape.parse(request), idempotencyKey),
  };
}
