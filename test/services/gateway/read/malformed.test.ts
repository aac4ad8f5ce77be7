import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { read } from './body.ts';

const bodies = [
  'null',
  'true',
  '17',
  '"task_1"',
  '""',
  '[]',
  '[null]',
  '["task_1"]',
  '{}',
  '{"code":"success","message":"","data":null}',
  '{"code":"success","message":"","data":{}}',
  '{"data":{"data":{"data":{}}}}',
  '{"message":"hello"}',
];

describe.each(['imgx', 'image', 'video', 'music'] as const)('The reader of the %s family', (family) => {
  it.each(bodies)('The reader rejects %s because it is not a task', (body) => {
    const attempt = (): unknown => read(family, body);
    expect(attempt).toThrow(GatewayError);
    expect(attempt).toThrow(expect.objectContaining({ kind: 'malformed', mayHaveTakenEffect: false }));
  });
});
