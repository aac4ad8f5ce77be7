import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { faultSchema, targetSchema } from '../fault.ts';
import { faultPresets, presetNames } from '../fault-presets.ts';
import type { Parts } from '../parts.ts';
import { sendError } from './guard.ts';
import { parseAction } from './parse-action.ts';

const faultSchemaWithTarget = z.strictObject({
  on: targetSchema.optional(),
  do: z.union([z.enum(presetNames), faultSchema], {
    error: () => `must be the name of a fault (${presetNames.join(', ')}) or a complete fault`,
  }),
  times: z.int().min(1).max(1_000_000).optional(),
  after: z.int().min(0).max(1_000_000).optional(),
});

export function faultControlRoutes(control: FastifyInstance, parts: Parts): void {
  const list = () => ({ faults: parts.faults.list(), presets: faultPresets });
  control.get('/faults', list);
  control.post('/faults', (request, reply) => {
    const { on = {}, do: fault, times = 1, after = 0 } = parseAction(faultSchemaWithTarget, request);
    // zod's optional fields may be present but undefined, while a fault's type requires them to be absent.
    const target = Object.fromEntries(Object.entries(on).filter(([, value]) => value !== undefined));
    const id = parts.faults.add({ on: target, do: fault, times, after });
    reply.code(201);
    return { id };
  });
  control.delete('/faults', () => {
    parts.faults.clear();
    return list();
  });
  control.delete<{ Params: { id: string } }>('/faults/:id', (request, reply) =>
    parts.faults.remove(Number(request.params.id))
      ? list()
      : sendError(reply, 404, `There is no fault ${request.params.id}.`),
  );
}
