import { expect, it } from 'vitest';
import { aboutPage } from '../../../src/commands/about/feature.ts';
import { say } from '../../../src/locales/index.ts';

const health = {
  version: '1.2.3',
  latencyMs: 20,
  liveTasks: 0,
  troubles: [],
  cluster: undefined,
  callbacks: [],
  allowances: [],
  waitingLimits: [],
  paused: undefined,
  block: undefined,
  areRulesUnreadable: false,
  operator: undefined,
  gateway: { isAvailable: true, ms: 5 } as const,
};

it('/about says since when the store has been unreachable, and does not mention a reachable store', () => {
  const page = JSON.stringify(aboutPage({ ...health, store: { since: 1_700_000_000_123, reason: '' } }, '/help', say));
  expect(page).toContain('unable to reach its database since <t:1700000000:f>');
  expect(JSON.stringify(aboutPage({ ...health, store: undefined }, '/help', say))).not.toContain(
    'unable to reach its database',
  );
});

it('/about tells only the operator why status checks fail, because a reason can name the gateway’s address', () => {
  const reason = 'The gateway at gateway.example refused the connection.';
  const troubles = [{ lane: 'imgx', kind: 'unreachable' as const, since: 0, reason }];
  const operator = {
    readiness: { bot: undefined, discord: undefined, store: undefined, gateway: undefined },
    notices: [],
    runs: [],
  };
  const pageFor = (facts: object): string =>
    JSON.stringify(aboutPage({ ...health, store: undefined, troubles, ...facts }, '/help', say));
  expect(pageFor({})).toContain('`/imagine` and its follow-ups: the gateway has not responded to status checks since');
  expect(pageFor({})).not.toContain('gateway.example');
  expect(pageFor({ operator })).toContain(`Reason: ${reason}`);
});
