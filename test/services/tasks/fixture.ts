import { ManualClock } from '../../support/manual-clock.ts';
import { type Reply, ScriptedHttp } from '../../support/scripted-http.ts';
import { type Domain, type DomainOptions, openDomain } from './domain.ts';

export const accepted = (id = '1711'): Reply => ({ body: { code: 1, description: 'Submit success', result: id } });
export const running = (id = '1711', progress = '40%'): Reply => ({
  body: { id, action: 'IMAGINE', status: 'IN_PROGRESS', progress },
});
export const succeeded = (id = '1711'): Reply => ({
  body: {
    id,
    action: 'IMAGINE',
    status: 'SUCCESS',
    progress: '100%',
    imageUrl: `https://cdn.gateway.test/${id}.png`,
    buttons: [{ customId: 'MJ::JOB::upsample::1::abc', emoji: '', label: 'U1', type: 2, style: 2 }],
  },
});

export const SUBMIT = /\/submit\//;
export const POLL = /\/task\//;

export interface Fixture extends Domain {
  gateway: ScriptedHttp;
}

/** The domain with a store in memory and a scripted gateway: no socket, no file, no process. */
export async function createFixture(options: DomainOptions = {}): Promise<Fixture> {
  const clock = new ManualClock();
  const gateway = new ScriptedHttp('https://gateway.test');
  const connections = { dispatcher: gateway, close: async () => undefined };
  const domain = await openDomain({ clock, file: ':memory:', gatewayUrl: gateway.url, connections }, options);
  return { ...domain, gateway };
}
