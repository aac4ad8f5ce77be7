import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { amountText } from '../decimal.ts';
import type { Parts } from '../parts.ts';
import { callbackModes, profiles, type Quirks, quirksOf, videoShapes } from '../quirks.ts';
import { dialects } from '../realtime/dialect.ts';
import { parseAction } from './parse-action.ts';

const booleanQuirks = Object.entries(quirksOf('spec')).flatMap(([name, value]) =>
  typeof value === 'boolean' ? [name] : [],
);
const quirksSchema = z
  .strictObject({
    ...Object.fromEntries(booleanQuirks.map((name) => [name, z.boolean()])),
    videoShape: z.enum(videoShapes),
    callbacks: z.enum(callbackModes),
    videosBody: z.enum(['either', 'json', 'form']),
    queuedFrom: z.int().min(0),
    fullFrom: z.int().min(0),
    batchLimit: z.int().min(1),
    creditLimit: z.number().min(0).max(1e9),
    realtimeDialect: z.enum(dialects),
    realtimeMinutes: z
      .number()
      .positive()
      .max(24 * 60),
    bodyLimit: z
      .int()
      .min(1)
      .max(1024 ** 3),
  })
  .partial() as z.ZodType<Partial<Quirks>>;

const settingsSchema = z.strictObject({
  profile: z.enum(profiles).optional(),
  speed: z.number().positive().max(100_000).optional(),
  quirks: quirksSchema.optional(),
});

export function settingsControlRoutes(control: FastifyInstance, parts: Parts): void {
  const settings = () => {
    const { profile, speed, quirks } = parts.settings;
    return { profile, speed, quirks };
  };
  control.get('/state', () => ({
    url: parts.url(),
    ...settings(),
    jobs: Object.fromEntries(
      Object.entries(Object.groupBy(parts.jobs.list(), (job) => job.state)).map(([state, jobs]) => [
        state,
        jobs?.length,
      ]),
    ),
    faults: parts.faults.list().length,
    heard: parts.requestLog.entries.length,
  }));

  control.get('/settings', settings);
  control.patch('/settings', (request) => {
    const changes = parseAction(settingsSchema, request);
    if (changes.profile) parts.settings.profile = changes.profile;
    if (changes.speed) parts.pace.setSpeed(changes.speed);
    Object.assign(parts.settings.quirks, changes.quirks);
    return settings();
  });

  control.get('/bill', ({ grant: { key } }) => ({
    total: amountText(parts.usage.total(key)),
    rows: parts.usage.rows(key).map((row) => ({ ...row, amount: amountText(row.amount) })),
  }));

  control.get('/heard', () => ({ heard: parts.requestLog.entries }));
  control.delete('/heard', () => {
    parts.requestLog.clear();
    return { heard: [] };
  });
}
